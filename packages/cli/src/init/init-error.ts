/** A project cannot be written; the message says why. */
export class InitError extends Error {
  override readonly name = 'InitError'
  /** `invalid`: the command line or the document; `failed`: a retry may help. */
  readonly kind: 'invalid' | 'failed'

  constructor(message: string, kind: InitError['kind'] = 'invalid') {
    super(message)
    this.kind = kind
  }
}
