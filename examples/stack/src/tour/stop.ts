import type { Guide } from './guide.ts'

/** One stop of the tour: it shows something, and throws when what it shows is not as it has to be. */
export interface Stop {
  readonly title: string
  /** Why the answer is as it is, in a sentence or two. */
  readonly why: string
  run(guide: Guide): Promise<void>
}

/** Ties a stop to what its `run` gets. */
export function defineStop(stop: Stop): Stop {
  return stop
}

/** An answer was not what it had to be. */
export class WrongAnswerError extends Error {
  override readonly name = 'WrongAnswerError'
}

/** Throws unless something is as it has to be. */
export function demand(isRight: boolean, message: string): asserts isRight {
  if (!isRight) throw new WrongAnswerError(message)
}
