import type { HeadLimits, MessageFaults } from '../message-faults.ts'

/** The answer is not valid HTTP. The message names the fault and never quotes the answer. */
export class InvalidAnswerError extends Error {
  override readonly name = 'InvalidAnswerError'
  readonly code = 'INVALID_HTTP'
}

/** The faults of answers, as the readers of heads and chunks name them. */
export const answerFaults: MessageFaults = {
  control: () => new InvalidAnswerError('a control character in the head'),
  tooLarge: () => new InvalidAnswerError('a head or trailers that are too large'),
  field: () => new InvalidAnswerError('a header line without a valid name'),
  length: () => new InvalidAnswerError('a length that is none'),
  coding: () => new InvalidAnswerError('a transfer coding that was not asked for'),
  chunkSize: () => new InvalidAnswerError('a chunk size that is none'),
  chunkEnd: () => new InvalidAnswerError('a chunk that is longer than it says'),
  extensionsTooLarge: () => new InvalidAnswerError('a line between chunks that is too long'),
}

/** The limits of the heads and trailers of answers. */
export const answerLimits: HeadLimits = { maxHeadBytes: 16_384, maxHeaders: Number.POSITIVE_INFINITY }
