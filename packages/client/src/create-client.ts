import type { Answered } from './answer.ts'
import type { ClientRequest } from './client-request.ts'
import { exchange } from './exchange.ts'
import type {
  MethodOf,
  OperationOf,
  PathOf,
  TypedOutcome,
  TypedRequest,
  TypedRunRequest,
} from './openapi-paths.ts'
import type { StreamEvent } from './parse-events.ts'
import { runRequest } from './run.ts'
import type { RunOptions } from './run-options.ts'
import { type ClientOptions, readSettings } from './settings.ts'
import { type StreamOptions, streamEvents } from './stream.ts'

/** Calls one gateway or service. Bodies of success and created are `unknown` unless the caller says otherwise. */
export interface Client {
  /** Sends one request and gives its outcome, whatever the status; throws only when there is no outcome. */
  request<SuccessBody = unknown, CreatedBody = SuccessBody>(
    request: ClientRequest,
  ): Promise<Answered<SuccessBody, CreatedBody>>
  /** Carries a request to its end: answers clarifications, waits for approvals and operations, repeats what may be. */
  run<SuccessBody = unknown, CreatedBody = SuccessBody>(
    request: ClientRequest,
    options?: RunOptions,
  ): Promise<Answered<SuccessBody, CreatedBody>>
  /** Gives the events of a stream as they come; throws a `StreamError` when it ends with an outcome. */
  stream(request: ClientRequest, options?: StreamOptions): AsyncGenerator<StreamEvent, void, undefined>
}

/** A client whose requests and results are checked against the `paths` of an OpenAPI document. */
export interface TypedClient<Paths> {
  /** As `Client.request`. */
  request<Path extends PathOf<Paths>, Method extends MethodOf<Paths, Path>>(
    request: TypedRequest<Paths, Path, Method>,
  ): Promise<TypedOutcome<OperationOf<Paths, Path, Method>>>
  /** As `Client.run`; inputs may be left out for the service to ask for. */
  run<Path extends PathOf<Paths>, Method extends MethodOf<Paths, Path>>(
    request: TypedRunRequest<Paths, Path, Method>,
    options?: RunOptions,
  ): Promise<TypedOutcome<OperationOf<Paths, Path, Method>>>
  /** As `Client.stream`. */
  stream<Path extends PathOf<Paths>, Method extends MethodOf<Paths, Path>>(
    request: TypedRequest<Paths, Path, Method>,
    options?: StreamOptions,
  ): AsyncGenerator<StreamEvent, void, undefined>
}

/** Makes a client. It keeps no connection and no state, so there is nothing to close. */
export function createClient(options: ClientOptions): Client
export function createClient<Paths>(options: ClientOptions): TypedClient<Paths>
export function createClient(options: ClientOptions): Client {
  const settings = readSettings(options)
  return {
    // The bodies are the service's own; what a caller says of them cannot be checked here.
    request: (request) => exchange(settings, request) as Promise<Answered<never, never>>,
    run: (request, runOptions = {}) =>
      runRequest(settings, request, runOptions) as Promise<Answered<never, never>>,
    stream: (request, streamOptions = {}) => streamEvents(settings, request, streamOptions),
  }
}
