import { type OutcomeType, outcomes } from '@agentic-rest/profile'
import type { AuditRecord } from '../api/audit-records.ts'
import { STREAMED } from '../api/name-outcome.ts'
import { buildHops, givenSpan, type Hop, operationOf, seenOutcome } from './build-hops.ts'

/** An outcome of an inner agent that its caller did not pass on. */
export interface Swallowed {
  readonly parent: Hop
  readonly child: Hop
  /** What the inner agent answered. */
  readonly from: BindingOutcome
  /** What became of it. */
  readonly to: string
  readonly toStatus: number | undefined
}

/** The outcomes that an agent has to pass on (Errors, rule 5). */
export type BindingOutcome = Extract<
  OutcomeType,
  'failed_dependency' | 'clarification_required' | 'approval_required'
>

const binding: readonly BindingOutcome[] = [
  'failed_dependency',
  'clarification_required',
  'approval_required',
]

/** The outcomes that were swallowed in the exchange that these records tell of. */
export function findSwallowed(records: readonly AuditRecord[]): Swallowed[] {
  return swallowedIn(buildHops(records))
}

/** The outcomes that were swallowed among these hops and all below them. */
export function swallowedIn(hops: readonly Hop[]): Swallowed[] {
  return hops.flatMap((hop) => [...swallowedBy(hop), ...swallowedIn(hop.children)])
}

function swallowedBy(parent: Hop): Swallowed[] {
  const { outcome: to = '', status: toStatus } = givenSpan(parent) ?? {}
  const asked = lastCalls(parent.children).flatMap((child) => {
    const from = binding.find((type) => type === seenOutcome(child))
    return from === undefined ? [] : [{ parent, child, from, to, toStatus }]
  })
  // Of several, one is passed on: the caller deals with that one first.
  if (asked.some(({ from }) => from === to)) return []
  return asked.filter(({ from }) => isLost(from, to))
}

/** What a service did in the end: an earlier call that it made again was answered by the later one. */
function lastCalls(children: readonly Hop[]): Hop[] {
  const last = new Map<string, Hop>()
  for (const child of children) {
    const { part, record } = child.gateway ?? child.service ?? { part: '', record: undefined }
    last.set(JSON.stringify([part, operationOf(child), record?.resourceId]), child)
  }
  return [...last.values()]
}

/**
 * A failed dependency must stay one. A question or an approval should, and may become another refusal that the caller
 * can see; as a success, or as an error, nobody would ever know of it.
 */
function isLost(from: BindingOutcome, to: string): boolean {
  // A caller that went away was told nothing.
  if (to === '' || to === 'client_disconnect') return false
  return from === 'failed_dependency' || isSuccess(to) || failures.has(to)
}

// Typed or not: a gateway that only reports lets a bare 500 pass, and names it by its class.
const failures: ReadonlySet<string> = new Set(['error', 'unavailable', 'untyped_5xx'])

function isSuccess(outcome: string): boolean {
  if (!Object.hasOwn(outcomes, outcome)) return outcome === 'untyped_2xx' || outcome === STREAMED
  return Math.floor(outcomes[outcome as OutcomeType].status / 100) === 2
}
