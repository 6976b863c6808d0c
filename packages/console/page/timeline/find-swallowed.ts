import { type OutcomeType, outcomes } from '@agentic-rest/profile'
import type { AuditRecord } from '../api/audit-records.ts'
import { STREAMED } from '../api/name-outcome.ts'
import { buildHops, givenSpan, type Hop, operationOf, seenOutcome } from './build-hops.ts'

/** A swallowed outcome: one of an inner agent that its caller did not forward. */
export interface Swallowed {
  readonly parent: Hop
  readonly child: Hop
  /** The outcome of the inner agent. */
  readonly from: BindingOutcome
  /** The outcome of its caller. */
  readonly to: string
  readonly toStatus: number | undefined
}

/** The outcomes that an agent must forward (Errors, rule 5). */
export type BindingOutcome = Extract<
  OutcomeType,
  'failed_dependency' | 'clarification_required' | 'approval_required'
>

const binding: readonly BindingOutcome[] = [
  'failed_dependency',
  'clarification_required',
  'approval_required',
]

/** The swallowed outcomes of an exchange. */
export function findSwallowed(records: readonly AuditRecord[]): Swallowed[] {
  return swallowedIn(buildHops(records))
}

/** The swallowed outcomes of these hops and all inner hops. */
export function swallowedIn(hops: readonly Hop[]): Swallowed[] {
  return hops.flatMap((hop) => [...swallowedBy(hop), ...swallowedIn(hop.children)])
}

function swallowedBy(parent: Hop): Swallowed[] {
  const { outcome: to = '', status: toStatus } = givenSpan(parent) ?? {}
  const asked = lastCalls(parent.children).flatMap((child) => {
    const from = binding.find((type) => type === seenOutcome(child))
    return from === undefined ? [] : [{ parent, child, from, to, toStatus }]
  })
  // Of several outcomes one is forwarded; the caller handles it first.
  if (asked.some(({ from }) => from === to)) return []
  return asked.filter(({ from }) => isLost(from, to))
}

/** The last call of each kind: a repeated call replaces the earlier one. */
function lastCalls(children: readonly Hop[]): Hop[] {
  const last = new Map<string, Hop>()
  for (const child of children) {
    const { part, record } = child.gateway ?? child.service ?? { part: '', record: undefined }
    last.set(JSON.stringify([part, operationOf(child), record?.resourceId]), child)
  }
  return [...last.values()]
}

/**
 * A failed dependency must stay one. A question or an approval should stay one, but may become another visible refusal.
 * As a success or an error it would be hidden from the caller.
 */
function isLost(from: BindingOutcome, to: string): boolean {
  // A disconnected caller got no outcome.
  if (to === '' || to === 'client_disconnect') return false
  return from === 'failed_dependency' || isSuccess(to) || failures.has(to)
}

// Typed or untyped: a gateway with `conformance: report` passes a bare 500 and records its status class.
const failures: ReadonlySet<string> = new Set(['error', 'unavailable', 'untyped_5xx'])

function isSuccess(outcome: string): boolean {
  if (!Object.hasOwn(outcomes, outcome)) return outcome === 'untyped_2xx' || outcome === STREAMED
  return Math.floor(outcomes[outcome as OutcomeType].status / 100) === 2
}
