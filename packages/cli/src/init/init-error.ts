/** Why a project cannot be written; the message says what to do. */
export class InitError extends Error {
  override readonly name = 'InitError'
}
