import { bodyShapes } from './body-shapes.ts'
import { checkShape } from './check-shape.ts'
import { headers } from './headers.ts'
import { constantCodes, type Outcome } from './outcome.ts'
import { conditions, outcomes, PROFILE_VERSION } from './outcomes.ts'
import { parseOwnJson } from './parse-json.ts'
import { isBareTrace, isIdentifier, type Trace } from './trace.ts'

/** An encoded answer, for `new Response(body, { status, headers })` or a socket. */
export interface WrittenOutcome {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Encodes an outcome. This is the only encoder. It throws a `TypeError` for an outcome that `readOutcome` would refuse. */
export function writeOutcome(outcome: Outcome, trace: Trace): WrittenOutcome {
  const { correlationId, requestId } = trace
  if (!isIdentifier(correlationId) || !isIdentifier(requestId))
    throw new TypeError('both ids of a trace are 1 to 256 printable ASCII characters')
  const body = JSON.stringify(bodyOf(outcome, { correlationId, requestId })) ?? 'null'
  refuseInvalid(outcome, body)
  return {
    status: statusOf(outcome),
    headers: {
      [headers.contentType]: outcomes[outcome.type].mediaType,
      [headers.profile]: PROFILE_VERSION,
      [headers.correlationId]: correlationId,
      [headers.requestId]: requestId,
      ...retryAfterHeader(outcome),
    },
    body,
  }
}

/** The status of an outcome: that of its row, or of its condition. */
export function statusOf(outcome: Outcome): number {
  if (outcome.type === 'error' && outcome.condition !== undefined) return conditions[outcome.condition]
  return outcomes[outcome.type].status
}

function bodyOf(outcome: Outcome, trace: Trace): unknown {
  switch (outcome.type) {
    case 'success':
    case 'created':
      return withTrace(outcome.body, trace)
    case 'accepted':
      return { ...outcome, type: 'operation_accepted', trace }
    case 'clarification_required':
    case 'validation_failed':
    case 'approval_required':
      return { ...outcome, code: constantCodes[outcome.type], trace }
    case 'forbidden':
    case 'conflict':
    case 'failed_dependency':
      return { ...outcome, trace }
    case 'error': {
      const { condition: _, ...body } = outcome
      return { ...body, trace }
    }
  }
}

/** Adds the trace to object bodies of the service, unless they have another member of that name. */
function withTrace(body: unknown, trace: Trace): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  // An object with its own serialisation (a date, a decimal) is not changed.
  if (typeof (body as { toJSON?: unknown }).toJSON === 'function') return body
  const own = (body as { trace?: unknown }).trace
  return own === undefined || isBareTrace(own) ? { ...body, trace } : body
}

function retryAfterHeader(outcome: Outcome): Record<string, string> {
  if (outcome.type !== 'error' || outcome.retryAfter === undefined) return {}
  return { [headers.retryAfter]: String(outcome.retryAfter) }
}

/** Checks the text to send, because serialising may drop or add members. */
function refuseInvalid(outcome: Outcome, text: string): void {
  const { condition, retryAfter } = outcome.type === 'error' ? outcome : {}
  if (condition !== undefined && !Object.hasOwn(conditions, condition))
    throw new TypeError(`there is no condition ${JSON.stringify(condition)}`)
  if (retryAfter !== undefined && condition !== 'limit_exceeded')
    throw new TypeError('retryAfter belongs to the condition limit_exceeded alone')
  const name = outcomes[outcome.type].schema
  const [fault] = name === null ? [] : checkShape(parseOwnJson(text), bodyShapes[name])
  if (fault)
    throw new TypeError(`the body of ${outcome.type} is not valid: ${fault.pointer} ${fault.message}`)
}
