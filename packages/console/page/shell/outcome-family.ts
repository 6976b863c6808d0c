import { type Condition, conditionOf, conditions, type OutcomeType, outcomes } from '@agentic-rest/profile'
import { STREAMED } from '../api/name-outcome.ts'

/** The families of outcomes, for overviews. */
export const families = ['done', 'background', 'asks', 'refused', 'failed'] as const

/** One of the families. */
export type Family = (typeof families)[number]

/** The title of a family and its outcomes. */
export const familyNames: Readonly<Record<Family, string>> = {
  done: 'Done',
  background: 'In the background',
  asks: 'Asks',
  refused: 'Refused',
  failed: 'Failed',
}

const familyByOutcome = {
  success: 'done',
  created: 'done',
  accepted: 'background',
  clarification_required: 'asks',
  approval_required: 'asks',
  validation_failed: 'refused',
  forbidden: 'refused',
  conflict: 'refused',
  failed_dependency: 'failed',
  error: 'failed',
} as const satisfies Record<OutcomeType, Family>

const familyByCondition = {
  unauthenticated: 'refused',
  not_found: 'refused',
  method_not_allowed: 'refused',
  too_large: 'refused',
  limit_exceeded: 'refused',
  unavailable: 'failed',
} as const satisfies Record<Condition, Family>

// Outcomes that only metrics have (decision 25).
const others: readonly (readonly [string, Family])[] = [
  [STREAMED, 'done'],
  ['client_disconnect', 'refused'],
  ['untyped_2xx', 'done'],
  ['untyped_3xx', 'done'],
  ['untyped_4xx', 'refused'],
  ['untyped_5xx', 'failed'],
]

const familyByName = new Map<string, Family>([
  ...Object.entries(familyByOutcome),
  ...Object.entries(familyByCondition),
  ...others,
])

/** The family of an outcome. An unknown outcome counts as a failure, so that it is noticed. */
export function familyOf(outcome: string): Family {
  return familyByName.get(outcome) ?? 'failed'
}

/** The status of an outcome, if there is exactly one. `error` has several. */
export function statusOfOutcome(outcome: string): number | undefined {
  if (outcome === 'error') return undefined
  if (Object.hasOwn(outcomes, outcome)) return outcomes[outcome as OutcomeType].status
  return Object.hasOwn(conditions, outcome) ? conditions[outcome as Condition] : undefined
}

/** The name of an error outcome in lists: its condition, if there is one. */
export function outcomeLabel(type: string, status: number): string {
  return (type === 'error' ? conditionOf(status) : undefined) ?? type
}

/** The readable name of an outcome. */
export function outcomeWords(outcome: string): string {
  return outcome.replaceAll('_', ' ')
}
