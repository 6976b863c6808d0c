/** A body cannot be treated, for a reason that lies in the rules. The message names no part of the body. */
export class CannotSanitizeError extends Error {
  override readonly name = 'CannotSanitizeError'
}
