import { isObject, type JsonObject, MAX_JSON_DEPTH } from '@agentic-rest/profile'
import type { Environment } from '../environment.ts'
import { isDeeperThan } from '../json-value.ts'
import type { Seal } from '../sealed-text.ts'
import { type AnswerFacts, httpStatuses } from './http.ts'
import {
  errorMessage,
  invalidParams,
  notificationMessage,
  type RpcError,
  type RpcId,
  type RpcRequest,
  resultMessage,
  rpcCodes,
} from './json-rpc.ts'
import type { FinalMessage, Outbox } from './message-stream.ts'
import type { OpenRequestsOptions } from './open-requests.ts'
import type {
  HostContext,
  HttpRefusal,
  Refusal,
  TaskAnswer,
  ToolAnswer,
  ToolCall,
  ToolHost,
} from './tool-host.ts'

/** How clients of 2025 are served. */
export type LegacyMode = 'sessions' | 'stateless' | 'off'

/** The options of the protocol. */
export interface ProtocolOptions extends OpenRequestsOptions {
  readonly host: ToolHost
  readonly environment: Environment
  readonly seal: Seal
  readonly serverInfo: {
    readonly name: string
    readonly version: string
    readonly title?: string | undefined
  }
  readonly instructions?: string | undefined
  readonly legacy: LegacyMode
  /** How long clients may keep a list that they get now. */
  readonly listTtlSeconds: () => number
  /** Gets errors that no client may see. */
  readonly onError?: ((error: unknown) => void) | undefined
}

/** The last message of an exchange for a result. */
export function finalResult(id: RpcId, result: JsonObject): FinalMessage {
  return { status: httpStatuses.ok, message: resultMessage(id, result) }
}

/** The last message of an exchange for an error. */
export function finalError(id: RpcId, error: RpcError, status: number = httpStatuses.ok): FinalMessage {
  return { status, message: errorMessage(id, error) }
}

/** The last message for a refusal of the host. */
export function finalRefusal(id: RpcId, refusal: Refusal | HttpRefusal): FinalMessage {
  if (refusal.type === 'refused') {
    const isCapability = refusal.error.code === rpcCodes.missingCapability
    return finalError(id, refusal.error, isCapability ? httpStatuses.badRequest : httpStatuses.ok)
  }
  const { status, headers, body } = refusal
  // On a stream that has begun, the status is gone and the error takes its place.
  const data = { status }
  const error = errorMessage(id, { code: rpcCodes.internalError, message: 'The request was refused', data })
  return { status, headers, body, message: error }
}

/** Reads the parameters of a `tools/call`. */
export function readCall(
  { params }: RpcRequest,
  context: HostContext,
  outbox: Outbox | undefined,
): ToolCall | Refusal {
  const { name, arguments: given = {}, inputResponses = {}, requestState } = params
  if (typeof name !== 'string') return refused('Invalid params: name is missing')
  if (!isObject(given)) return refused('Invalid params: arguments has to be an object')
  if (isDeeperThan(given, MAX_JSON_DEPTH)) return refused('Invalid params: arguments has too many levels')
  if (!isObject(inputResponses)) return refused('Invalid params: inputResponses has to be an object')
  if (isDeeperThan(inputResponses, MAX_JSON_DEPTH))
    return refused('Invalid params: inputResponses has too many levels')
  if (requestState !== undefined && typeof requestState !== 'string') return refused('Invalid requestState')
  const progressToken = context.meta['progressToken']
  const isWanted = typeof progressToken === 'string' || typeof progressToken === 'number'
  return {
    ...context,
    name,
    arguments: given,
    params,
    inputResponses,
    requestState,
    progress:
      isWanted && outbox !== undefined
        ? (report) =>
            outbox.offer(notificationMessage('notifications/progress', { progressToken, ...report }))
        : undefined,
  }
}

function refused(message: string): Refusal {
  return { type: 'refused', error: invalidParams(message) }
}

/** A request that a handler serves. */
export interface Guarded extends Pick<ProtocolOptions, 'onError'> {
  readonly id: RpcId
  readonly facts: AnswerFacts
  readonly signal: AbortSignal
}

/** Runs a handler; an unexpected error is reported and answered without its cause. */
export async function guarded(
  { id, facts, signal, onError }: Guarded,
  handle: () => Promise<FinalMessage>,
): Promise<FinalMessage> {
  try {
    return await handle()
  } catch (error) {
    // Requests of a client that has gone fail, and nobody waits for the answer.
    if (!signal.aborted) onError?.(error)
    facts.result = 'refused'
    return finalError(id, { code: rpcCodes.internalError, message: 'Internal error' })
  }
}

/** Sends a request about a task to the host; undefined for another method. */
export function taskRequest(
  { tasks }: ToolHost,
  { method, params }: RpcRequest,
  context: HostContext,
): Promise<TaskAnswer> | Refusal | undefined {
  if (tasks === undefined || !['tasks/get', 'tasks/update', 'tasks/cancel'].includes(method)) return undefined
  const { taskId, inputResponses = {} } = params
  if (typeof taskId !== 'string') return refused('Invalid params: taskId is missing')
  if (method === 'tasks/get') return tasks.get(taskId, context)
  if (method === 'tasks/cancel') return tasks.cancel(taskId, context)
  if (!isObject(inputResponses)) return refused('Invalid params: inputResponses has to be an object')
  return tasks.update(taskId, inputResponses, context)
}

/** The kind of an answer in metrics. */
export function resultKind(answer: ToolAnswer): AnswerFacts['result'] {
  switch (answer.type) {
    case 'result':
      return answer.result.isError === true ? 'tool_error' : 'complete'
    case 'input_required':
    case 'task':
      return answer.type
    case 'refused':
    case 'http':
      return 'refused'
  }
}
