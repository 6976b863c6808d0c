import type { OutcomeType } from '@agentic-rest/profile'
import type { Exchange } from '../wire/exchange.ts'

/** What can be observed; each name is a place of the scenario, or something that follows from one. */
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
  | 'token.missing'
  | 'token.invalid'
  | 'token.forged'
  | 'tenant.foreign'
  | 'traceless-upstream'
  | 'mismatched-upstream'
  | 'metrics'
  | 'packages'
  | 'fixtures'

/** What the scenario says about an answer beyond its type. */
export interface Expected {
  /** The outcome that the request is to provoke. */
  readonly type?: OutcomeType | undefined
  readonly asks?: readonly string[] | undefined
  readonly hides?: readonly string[] | undefined
  readonly approver?: string | undefined
  readonly seconds?: number | undefined
}

/** Something that was seen: exchanges in their order, and what else was found out with them. */
export interface Observation {
  readonly name: ObservationName
  readonly exchanges: readonly Exchange[]
  /** The request as it succeeds: that another one does not says something only beside it. */
  readonly contrast?: Exchange
  readonly expected?: Expected
  /** How many effects there were before the first request, after it and after the second. */
  readonly counts?: readonly number[]
  /** What the agent behind had recorded after the first request. */
  readonly records?: string
  /** What is wrong with a file, for what is looked at without a request. */
  readonly faults?: readonly string[]
}

/** An observation, or why there is none. */
export type Seen = Observation | { readonly name: ObservationName; readonly missing: string }

/** Everything that a run has seen. */
export interface Evidence {
  readonly target: 'gateway' | 'service'
  /** The observation of a name, or why there is none. */
  get(name: ObservationName): Seen
}

/** Collects what was seen; what nobody looked at is missing. */
export function createEvidence(target: Evidence['target'], seen: readonly Seen[]): Evidence {
  const byName = new Map(seen.map((each) => [each.name, each]))
  return {
    target,
    get: (name) => byName.get(name) ?? { name, missing: 'it was not looked at' },
  }
}

/** For a scenario without the section that would show something. */
export function notInScenario(name: ObservationName, key: string): Seen {
  return { name, missing: `the scenario has no ${key}` }
}
