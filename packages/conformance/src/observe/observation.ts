import type { OutcomeType } from '@agentic-rest/profile'
import type { Exchange } from '../wire/exchange.ts'

/** The names of all observations. Each belongs to a place of the scenario. */
export type ObservationName =
  | `outcomes.${OutcomeType}`
  | 'status-url'
  | 'ids.absent'
  | 'ids.request-absent'
  | 'ids.correlation-absent'
  | 'accept'
  | 'stream'
  | 'stream.plain'
  | 'limit'
  | 'limit.other-tenant'
  | 'limit.after'
  | 'deadline'
  | 'graph.failed_dependency'
  | 'graph.clarification_required'
  | 'graph.approval_required'
  | 'graph.hop'
  | 'retry'
  | 'retry.changed'
  | 'token.missing'
  | 'token.missing-without-ids'
  | 'token.invalid'
  | 'token.forged'
  | 'tenant.foreign'
  | 'traceless-upstream'
  | 'mismatched-upstream'
  | 'unreachable-upstream'
  | 'echo'
  | 'metrics'
  | 'packages'
  | 'fixtures'

/** Expectations of the scenario about an answer. */
export interface Expected {
  /** The expected outcome. */
  readonly type?: OutcomeType | undefined
  readonly asks?: readonly string[] | undefined
  readonly hides?: readonly string[] | undefined
  readonly approver?: string | undefined
  readonly seconds?: number | undefined
}

/** An observation: exchanges in order, and other findings. */
export interface Observation {
  readonly name: ObservationName
  readonly exchanges: readonly Exchange[]
  /** The same request of a caller that is admitted, for comparison with a refused one. */
  readonly contrast?: Exchange
  readonly expected?: Expected
  /** The number of effects before the first request, after it and after the second. */
  readonly counts?: readonly number[]
  /** The records of the inner agent after the first request. */
  readonly records?: string
  /** The faults of a file, for observations without a request. */
  readonly faults?: readonly string[]
}

/** An observation, or the reason why there is none. */
export type Seen = Observation | { readonly name: ObservationName; readonly missing: string }

/** All observations of a run. */
export interface Evidence {
  readonly target: 'gateway' | 'service'
  /** The observation with a name, or the reason why there is none. */
  get(name: ObservationName): Seen
}

/** Collects the observations of a run. */
export function createEvidence(target: Evidence['target'], seen: readonly Seen[]): Evidence {
  const byName = new Map(seen.map((each) => [each.name, each]))
  return {
    target,
    get: (name) => byName.get(name) ?? { name, missing: 'it was not looked at' },
  }
}

/** The missing observation of a scenario without this section. */
export function notInScenario(name: ObservationName, key: string): Seen {
  return { name, missing: `the scenario has no ${key}` }
}

/** A header that reaches the upstream. */
export const ECHOED = 'X-Conformance-Echo'

/** The start of every forged header value. */
export const FORGED = 'forged-'
