import type { Outcome, OutcomeType, Trace } from '@agentic-rest/profile'

/** What an answer says besides its outcome. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** From the body where it has one, else from the headers, else the ids that were sent. */
  readonly trace: Trace
  /** The profile version that the answer claims; absent when it claims none. */
  readonly profile: string | undefined
}

/** An outcome that also knows its answer. */
export type Answered<SuccessBody = unknown, CreatedBody = SuccessBody> = Outcome<SuccessBody, CreatedBody> & {
  readonly answer: Answer
}

/**
 * Ties an outcome to its answer. The property is not enumerable: a copy, a comparison or a log of the outcome
 * shows the outcome alone, and `writeOutcome` can still write it.
 */
export function attachAnswer(outcome: Outcome, answer: Answer): Answered {
  return Object.defineProperty(outcome, 'answer', { value: answer }) as Answered
}

/** An answered outcome of one type. */
export type AnsweredAs<Type extends OutcomeType> = Extract<Answered, { readonly type: Type }>
