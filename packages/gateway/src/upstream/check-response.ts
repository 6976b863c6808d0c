import { compareTrace, isVendorType, outcomeViolations } from '@agentic-rest/profile'
import type { RouteConfig } from '../config/config-schema.ts'
import { refusal } from '../errors.ts'
import type { Exchange, StepResult } from '../exchange.ts'
import { answerType } from './answer-type.ts'
import { type CollectedBody, collectBody, type UpstreamAnswer } from './upstream-answer.ts'
import { readVendorBody } from './vendor-body.ts'

/** An answer that may go to the client; `bytes` when its body was read to be checked. */
export interface CheckedAnswer {
  readonly answer: UpstreamAnswer
  readonly essence: string | undefined
  readonly bytes: Buffer | undefined
}

/** What checking gives. */
export type Checked = { readonly checked: CheckedAnswer } | { readonly refused: NonNullable<StepResult> }

/** Holds an upstream's answer against the profile: trace always, the rest as the route says. */
export function checkResponse(
  exchange: Exchange,
  route: RouteConfig,
  { answer, maxBytes }: { readonly answer: UpstreamAnswer; readonly maxBytes: number },
): Checked | Promise<Checked> {
  const essence = answerType(answer.rawHeaders)
  if (!isVendorType(essence) || !mayHaveBody(exchange, answer)) {
    const violations = isExempt(exchange, essence)
      ? []
      : outcomeViolations({ status: answer.status, essence })
    return judge(exchange, route, { checked: { answer, essence, bytes: undefined }, violations })
  }
  const check = (collected: CollectedBody): Checked => {
    // A body that ends because the exchange was cancelled is nobody's mistake.
    exchange.signal.throwIfAborted()
    if ('problem' in collected) return { refused: refusal(problemCode(collected.problem)) }
    return checkVendorBody(exchange, route, { answer, essence, bytes: collected.bytes, maxBytes })
  }
  const collecting = collectBody(answer.body, maxBytes)
  return collecting instanceof Promise ? collecting.then(check) : check(collecting)
}

function checkVendorBody(
  exchange: Exchange,
  route: RouteConfig,
  found: CheckedAnswer & { readonly bytes: Buffer; readonly maxBytes: number },
): Checked {
  const { answer, essence, bytes } = found
  const body = readVendorBody(bytes, answer.rawHeaders, found.maxBytes)
  if (body === undefined) return { refused: refusal('INVALID_AGENTIC_RESPONSE') }
  const trace = compareTrace((body.value as { trace?: unknown } | null)?.trace, exchange.trace)
  if (trace !== 'match') return { refused: refusal(trace === 'missing' ? 'TRACE_MISSING' : 'TRACE_MISMATCH') }
  const violations = outcomeViolations({ status: answer.status, essence, body: body.value })
  return judge(exchange, route, { checked: { answer, essence, bytes }, violations })
}

/** Reports or refuses what breaks the profile, as the route wants it. */
function judge(
  exchange: Exchange,
  route: RouteConfig,
  {
    checked,
    violations,
  }: { readonly checked: CheckedAnswer; readonly violations: readonly { rule: string }[] },
): Checked {
  if (violations.length === 0 || route.conformance === 'off') return { checked }
  exchange.violations = [...new Set(violations.map((violation) => violation.rule))]
  if (route.conformance === 'report') return { checked }
  checked.answer.body.abort()
  return { refused: refusal('PROFILE_VIOLATION') }
}

function problemCode(problem: 'too_large' | 'cut_off') {
  return problem === 'too_large' ? 'INVALID_AGENTIC_RESPONSE' : 'UPSTREAM_INVALID_RESPONSE'
}

/** Streams are defined by their own rules. */
function isExempt(exchange: Exchange, essence: string | undefined): boolean {
  return exchange.streaming && essence === 'text/event-stream'
}

/** RFC 9110, section 6.4.1: these never have content, whatever their headers say. */
export function mayHaveBody({ method }: Exchange, { status }: UpstreamAnswer): boolean {
  return method !== 'HEAD' && status !== 204 && status !== 304
}
