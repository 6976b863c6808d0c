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
  /**
   * The address of a status or an approval that nothing serves, for example because the gateway has no route to it. A
   * run that meets one returns the outcome that names the address.
   */
  readonly unreachable?: string | undefined
}

/**
 * Adds the answer to an outcome. The property is not enumerable, so that copies, comparisons and logs contain only the
 * outcome, and `writeOutcome` can still encode it.
 */
export function attachAnswer(outcome: Outcome, answer: Answer): Answered {
  return Object.defineProperty(outcome, 'answer', { value: answer }) as Answered
}

/** Marks an outcome as the last of a run, because nothing serves the address it names. Not enumerable, as `answer`. */
export function attachUnreachable<Result extends Answered>(outcome: Result, { href }: URL): Result {
  return Object.defineProperty(outcome, 'unreachable', { value: href })
}

/** Whether the answer says that nothing serves the address: there is no such path, or not with this method. */
export function isUnserved(outcome: Answered): boolean {
  if (outcome.type !== 'error') return false
  return outcome.condition === 'not_found' || outcome.condition === 'method_not_allowed'
}

/** An answered outcome of one type. */
export type AnsweredAs<Type extends OutcomeType> = Extract<Answered, { readonly type: Type }>
