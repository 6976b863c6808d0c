import type { HeaderSource, JsonObject } from '@agentic-rest/profile'
import type { ToolDefinition } from '../catalogue/tool.ts'
import type { RpcError } from './json-rpc.ts'
import type { ProtocolVersion } from './versions.ts'

/** The caller of a request, as its token says. */
export interface Caller {
  readonly issuer: string
  readonly subject: string
  readonly tenant: string | undefined
}

/** Issuer and subject as one text. */
export function principalOf({ issuer, subject }: Caller): string {
  return `${issuer}|${subject}`
}

/** The facts about a client that change its answers. */
export interface Client {
  readonly version: ProtocolVersion
  /** The name that the client gives itself, at most 64 characters. It is not trusted. */
  readonly name: string
  readonly elicitation: { readonly form: boolean; readonly url: boolean }
  /** Whether it declared the extension for tasks. */
  readonly tasks: boolean
}

/** A report of progress. */
export interface Progress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

/** The HTTP request around a message. */
export interface Origin {
  readonly headers: HeaderSource
  readonly caller: Caller
  /** The embedding server's own object for the request. It comes back in every request of a call. */
  readonly source: unknown
}

/** A message for the host and its surroundings. */
export interface HostContext extends Origin {
  readonly client: Client
  /** The whole `_meta` of the message. */
  readonly meta: JsonObject
  /** Aborted when the client has gone or cancels. */
  readonly signal: AbortSignal
}

/** One round of a `tools/call`. */
export interface ToolCall extends HostContext {
  readonly name: string
  readonly arguments: JsonObject
  /** All parameters of the message. */
  readonly params: JsonObject
  readonly inputResponses: JsonObject
  readonly requestState: string | undefined
  /** Sends progress; undefined if the client did not ask for it. */
  readonly progress: ((report: Progress) => void) | undefined
}

/** The result of a tool that has run. */
export interface ToolResult {
  readonly content: readonly JsonObject[]
  readonly structuredContent?: unknown
  readonly isError?: true
  readonly _meta?: JsonObject
}

/** A question to the client: `elicitation/create` with its parameters. */
export interface InputRequest {
  readonly method: string
  readonly params?: JsonObject
}

/** A task without its result. */
export interface Task {
  readonly taskId: string
  readonly status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'
  readonly statusMessage?: string
  readonly createdAt: string
  readonly lastUpdatedAt: string
  readonly ttlMs: number | null
  readonly pollIntervalMs?: number
}

/** A task with its result, its error or its questions. */
export interface DetailedTask extends Task {
  readonly result?: ToolResult
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
  readonly inputRequests?: Readonly<Record<string, InputRequest>>
}

/** An answer by HTTP status. Only the client itself can act on it, as on a missing token. */
export interface HttpRefusal {
  readonly type: 'http'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A JSON-RPC error. */
export interface Refusal {
  readonly type: 'refused'
  readonly error: RpcError
}

/** The answer to one round of a call. */
export type ToolAnswer =
  | { readonly type: 'result'; readonly result: ToolResult }
  | {
      readonly type: 'input_required'
      readonly inputRequests?: Readonly<Record<string, InputRequest>>
      readonly requestState?: string
    }
  | { readonly type: 'task'; readonly task: Task }
  | Refusal
  | HttpRefusal

/** The answer to a request about a task. */
export type TaskAnswer =
  | { readonly type: 'task'; readonly task: DetailedTask }
  | { readonly type: 'acknowledged' }
  | Refusal
  | HttpRefusal

/** The tools behind the protocol. */
export interface ToolHost {
  /** The tools that a caller may use, in a fixed order. */
  list(context: HostContext): Promise<readonly ToolDefinition[]> | readonly ToolDefinition[]
  call(call: ToolCall): Promise<ToolAnswer>
  /** Absent if no tool makes tasks. */
  readonly tasks?: {
    get(taskId: string, context: HostContext): Promise<TaskAnswer>
    update(taskId: string, inputResponses: JsonObject, context: HostContext): Promise<TaskAnswer>
    cancel(taskId: string, context: HostContext): Promise<TaskAnswer>
  }
}
