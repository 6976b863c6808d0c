import { bodyShapes } from './body-shapes.ts'
import { checkShape } from './check-shape.ts'
import { headers } from './headers.ts'
import { constantCodes, type Outcome } from './outcome.ts'
import { conditions, outcomes, PROFILE_VERSION } from './outcomes.ts'
import { isTrace, type Trace } from './trace.ts'

/** An answer as status, headers and text, ready for `new Response(body, { status, headers })` or a socket. */
export interface WrittenOutcome {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The one encoder. It refuses to write what `readOutcome` would refuse to read. */
export function writeOutcome(outcome: Outcome, trace: Trace): WrittenOutcome {
  const body = bodyOf(outcome, trace)
  refuseInvalidBody(outcome, body)
  return {
    status: statusOf(outcome),
    headers: {
      [headers.contentType]: outcomes[outcome.type].mediaType,
      [headers.profile]: PROFILE_VERSION,
      [headers.correlationId]: trace.correlationId,
      [headers.requestId]: trace.requestId,
      ...retryAfterHeader(outcome),
    },
    body: JSON.stringify(body) ?? 'null',
  }
}

/** The status an outcome is sent with: its row's, or that of its condition. */
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

/** Object bodies of the service carry the trace too, unless the service means something else by that name. */
function withTrace(body: unknown, trace: Trace): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  // What serialises itself (a date, a decimal) is not ours to take apart.
  if (typeof (body as { toJSON?: unknown }).toJSON === 'function') return body
  const own = (body as { trace?: unknown }).trace
  return own === undefined || isTrace(own) ? { ...body, trace } : body
}

function retryAfterHeader(outcome: Outcome): Record<string, string> {
  if (outcome.type !== 'error' || outcome.retryAfter === undefined) return {}
  return { [headers.retryAfter]: String(outcome.retryAfter) }
}

function refuseInvalidBody(outcome: Outcome, body: unknown): void {
  if (outcome.type === 'error' && outcome.retryAfter !== undefined && outcome.condition !== 'limit_exceeded')
    throw new TypeError('retryAfter belongs to the condition limit_exceeded alone')
  const name = outcomes[outcome.type].schema
  const [fault] = name === null ? [] : checkShape(body, bodyShapes[name])
  if (fault)
    throw new TypeError(`the body of ${outcome.type} is not valid: ${fault.pointer} ${fault.message}`)
}
