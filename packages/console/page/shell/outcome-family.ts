import { type Condition, conditionOf, conditions, type OutcomeType, outcomes } from '@agentic-rest/profile'
import { STREAMED } from '../api/name-outcome.ts'

/** What outcomes have in common for whoever looks at many of them. */
export const families = ['done', 'background', 'asks', 'refused', 'failed'] as const

/** One of the families. */
export type Family = (typeof families)[number]

/** What a family is called, and what belongs to it. */
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

/** The family of an outcome; one that is not known is treated as a failure, so that it is looked at. */
export function familyOf(outcome: string): Family {
  return familyByName.get(outcome) ?? 'failed'
}

/** The status that follows from an outcome, where one does: `error` stands for many, and none of them is made up. */
export function statusOfOutcome(outcome: string): number | undefined {
  if (outcome === 'error') return undefined
  if (Object.hasOwn(outcomes, outcome)) return outcomes[outcome as OutcomeType].status
  return Object.hasOwn(conditions, outcome) ? conditions[outcome as Condition] : undefined
}

/** What an error outcome is called in lists: its condition says more than `error`. */
export function outcomeLabel(type: string, status: number): string {
  return (type === 'error' ? conditionOf(status) : undefined) ?? type
}

/** An outcome as words. */
export function outcomeWords(outcome: string): string {
  return outcome.replaceAll('_', ' ')
}
