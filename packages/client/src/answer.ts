import type { Outcome, OutcomeType, Trace } from '@agentic-rest/profile'

/** The fields of an answer besides its outcome. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** From the body, otherwise from the headers, otherwise the ids of the request. */
  readonly trace: Trace
  /** The profile version in the header of the answer, if there is one. */
  readonly profile: string | undefined
}

/** An outcome with its answer. */
export type Answered<SuccessBody = unknown, CreatedBody = SuccessBody> = Outcome<SuccessBody, CreatedBody> & {
  readonly answer: Answer
}

/**
 * Adds the answer to an outcome. The property is not enumerable, so that copies, comparisons and logs contain only the
 * outcome, and `writeOutcome` can still encode it.
 */
export function attachAnswer(outcome: Outcome, answer: Answer): Answered {
  return Object.defineProperty(outcome, 'answer', { value: answer }) as Answered
}

/** An answered outcome of one type. */
export type AnsweredAs<Type extends OutcomeType> = Extract<Answered, { readonly type: Type }>
