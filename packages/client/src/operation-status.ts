import {
  headers,
  type OutcomeType,
  outcomes,
  outcomeTypes,
  type Reading,
  readOutcome,
} from '@agentic-rest/profile'
import type { Answer, Answered } from './answer.ts'
import { refuse, takeOutcome, violation } from './read-answer.ts'

/** The states of an operation; the last three are final. */
export const operationStates = ['working', 'input_required', 'completed', 'failed', 'cancelled'] as const

/** One of the states of an operation. */
export type OperationState = (typeof operationStates)[number]

/** The status of a background operation (decision 10). */
export interface OperationStatus {
  readonly operationId: string
  readonly status: OperationState
  readonly statusUrl: string
  readonly createdAt: string
  readonly updatedAt: string
  /** The progress, in a format of the service. */
  readonly progress?: unknown
  /** The type of the final outcome, or of the question the operation waits for. */
  readonly outcome?: OutcomeType
  /** The body of that outcome. */
  readonly result?: unknown
}

/** Whether a state is final. */
export function isFinal({ status }: OperationStatus): boolean {
  return status !== 'working' && status !== 'input_required'
}

/** Checks the body of a status; throws its fault. */
export function readStatus(body: unknown, answer: Answer): OperationStatus {
  const fields = new Map(Object.entries(typeof body === 'object' && body !== null ? body : {}))
  const broken = ['operationId', 'status', 'statusUrl', 'createdAt', 'updatedAt'].filter(
    (name) => typeof fields.get(name) !== 'string',
  )
  if (!operationStates.some((state) => state === fields.get('status'))) broken.push('status')
  const outcome = fields.get('outcome')
  if (outcome !== undefined && !outcomeTypes.some((type) => type === outcome)) broken.push('outcome')
  const violations = [...new Set(broken)].map((name) => ({
    rule: 'operation_status',
    pointer: `/${name}`,
    message: 'is not valid in the status of an operation',
  }))
  if (violations.length > 0) throw refuse('PROFILE_VIOLATION', answer, ...violations)
  return body as OperationStatus
}

/** The outcome in a status, as if it were the answer of the request. */
export function storedOutcome({ outcome, result }: OperationStatus, answer: Answer): Answered {
  if (outcome === undefined)
    throw refuse('PROFILE_VIOLATION', answer, violation('operation_status', 'it ended without an outcome'))
  return takeOutcome(readStored(outcome, withTrace(outcome, result, answer)), answer)
}

function readStored(type: OutcomeType, body: unknown): Reading {
  const { status, mediaType } = outcomes[type]
  try {
    const text = JSON.stringify(body) ?? 'null'
    return readOutcome({ status, headers: { [headers.contentType]: mediaType }, body: text })
  } catch {
    // Nested deeper than the stack allows: not a real answer.
    return { ok: false, violations: [violation('json', 'the result cannot be read')] }
  }
}

// The trace belongs to the answered request; a stored result may have none.
function withTrace(type: OutcomeType, result: unknown, { trace }: Answer): unknown {
  if (outcomes[type].schema === null || typeof result !== 'object') return result
  return { trace, ...result }
}
