import type { StreamEvent } from '@agentic-rest/profile'
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
import { runRequest } from './run.ts'
import type { RunOptions } from './run-options.ts'
import { type ClientOptions, readSettings } from './settings.ts'
import { type StreamOptions, streamEvents } from './stream.ts'

/** A client of one gateway or service. Bodies of success and created are `unknown` by default. */
export interface Client {
  /** Sends one request and returns its outcome for every status; throws only without an outcome. */
  request<SuccessBody = unknown, CreatedBody = SuccessBody>(
    request: ClientRequest,
  ): Promise<Answered<SuccessBody, CreatedBody>>
  /** Follows a request to its end: answers clarifications, waits for approvals and operations, and retries. */
  run<SuccessBody = unknown, CreatedBody = SuccessBody>(
    request: ClientRequest,
    options?: RunOptions,
  ): Promise<Answered<SuccessBody, CreatedBody>>
  /** Iterates over the events of a stream; throws a `StreamError` when it ends with an outcome. */
  stream(request: ClientRequest, options?: StreamOptions): AsyncGenerator<StreamEvent, void, undefined>
}

/** A client whose requests and results are checked against the `paths` of an OpenAPI document. */
export interface TypedClient<Paths> {
  /** As `Client.request`. */
  request<Path extends PathOf<Paths>, Method extends MethodOf<Paths, Path>>(
    request: TypedRequest<Paths, Path, Method>,
  ): Promise<TypedOutcome<OperationOf<Paths, Path, Method>>>
  /** As `Client.run`. Inputs may be left out; the service then asks for them. */
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

/** Creates a client. It has no connection and no state, so it needs no `close`. */
export function createClient(options: ClientOptions): Client
export function createClient<Paths>(options: ClientOptions): TypedClient<Paths>
export function createClient(options: ClientOptions): Client {
  const settings = readSettings(options)
  return {
    // The service defines these bodies, so the types of the caller cannot be checked.
    request: (request) => exchange(settings, request) as Promise<Answered<never, never>>,
    run: (request, runOptions = {}) =>
      runRequest(settings, request, runOptions) as Promise<Answered<never, never>>,
    stream: (request, streamOptions = {}) => streamEvents(settings, request, streamOptions),
  }
}
