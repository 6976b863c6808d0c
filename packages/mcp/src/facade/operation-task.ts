import { isObject, type JsonObject, type OutcomeType, outcomes, outcomeTypes } from '@agentic-rest/profile'
import { textAt } from '../json-value.ts'
import { type Caller, type DetailedTask, principalOf, type Task } from '../protocol/tool-host.ts'
import type { ProtocolVersion } from '../protocol/versions.ts'
import type { Seal } from '../sealed-text.ts'
import { type Answered, retryAfterOf } from './inner-exchange.ts'
import { resultOf, withoutTokens } from './outcome-result.ts'

/** How long a task is kept: as long as services keep operations. */
const TTL_MS = 2_592_000_000
const DEFAULT_POLL_MS = 1000

/** The reference to an operation that clients keep as the id of a task. */
export interface OperationReference {
  readonly routeId: string
  readonly statusPath: string
}

interface Payload {
  readonly r: string
  readonly u: string
  readonly n: string | null
  readonly s: string
}

/** The id of a task: the sealed reference, so that every instance can serve it without a store. */
export function taskIdOf(seal: Seal, { routeId, statusPath }: OperationReference, caller: Caller): string {
  const payload: Payload = { r: routeId, u: statusPath, n: caller.tenant ?? null, s: principalOf(caller) }
  return seal.seal('task', payload)
}

/** The reference of a task id; undefined for an unknown one and for one of another caller. */
export function openTaskId(seal: Seal, taskId: string, caller: Caller): OperationReference | undefined {
  const value = seal.open('task', taskId)
  if (!isObject(value)) return undefined
  const { r, u, n, s } = value as unknown as Payload
  const isOwn = s === principalOf(caller) && n === (caller.tenant ?? null)
  return isOwn ? { routeId: r, statusPath: u } : undefined
}

/** The task of an accepted operation. */
export function newTask(taskId: string, answered: Answered, now: number): Task {
  const time = new Date(now).toISOString()
  return {
    taskId,
    status: 'working',
    createdAt: time,
    lastUpdatedAt: time,
    ttlMs: TTL_MS,
    pollIntervalMs: pollOf(answered),
  }
}

/** The pause until the next look at an operation. */
export function pollOf({ headers }: Answered): number {
  const seconds = retryAfterOf(headers)
  return seconds === undefined ? DEFAULT_POLL_MS : Math.max(seconds, 1) * 1000
}

/** Whether an operation has ended, or waits for something that no poll can bring. */
export function isOver({ body }: Answered): boolean {
  const status = textAt(body, 'status')
  return status !== undefined && status !== 'working'
}

/** The answer that an operation has ended with; undefined while it works. */
export function outcomeOf(answered: Answered): Answered | undefined {
  const { body } = answered
  if (!isOver(answered) || !isObject(body)) return undefined
  const type = outcomeTypes.find((each) => each === body['outcome']) ?? typeByStatus(textAt(body, 'status'))
  return { ...answered, type, status: outcomes[type].status, body: body['result'] ?? body }
}

function typeByStatus(status: string | undefined): OutcomeType {
  return status === 'completed' ? 'success' : 'error'
}

/** The task of an operation's status. A tool error is a completed task: `failed` is for JSON-RPC errors only. */
export function taskOf(taskId: string, answered: Answered, version: ProtocolVersion): DetailedTask {
  const body: JsonObject = isObject(answered.body) ? answered.body : {}
  const base = {
    taskId,
    createdAt: textAt(body, 'createdAt') ?? new Date(0).toISOString(),
    lastUpdatedAt: textAt(body, 'updatedAt') ?? textAt(body, 'createdAt') ?? new Date(0).toISOString(),
    ttlMs: TTL_MS,
  }
  if (body['status'] === 'cancelled') return { ...base, status: 'cancelled' }
  const outcome = outcomeOf(answered)
  if (outcome !== undefined) return { ...base, status: 'completed', result: resultOf(outcome, version) }
  const progress = withoutTokens(body['progress'])
  const message = typeof progress === 'string' ? progress : progress && JSON.stringify(progress)
  return {
    ...base,
    status: 'working',
    pollIntervalMs: pollOf(answered),
    ...(typeof message === 'string' && { statusMessage: message }),
  }
}
