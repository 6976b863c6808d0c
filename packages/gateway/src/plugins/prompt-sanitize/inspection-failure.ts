import { CannotSanitizeError } from './compile-rules.ts'

/** A failed inspection, as the log shows it. */
export interface InspectionFailure {
  readonly error: string
  readonly reason?: string
  readonly at?: readonly string[]
}

/** An inspection in a thread failed. */
export class FailedInspectionError extends Error {
  override readonly name = 'FailedInspectionError'
  readonly failure: InspectionFailure

  constructor(failure: InspectionFailure) {
    super('the inspection failed')
    this.failure = failure
  }
}

/** Describes an error without the message of a foreign one: it may quote the body. */
export function describeFailure(error: unknown): InspectionFailure {
  if (error instanceof FailedInspectionError) return error.failure
  if (!(error instanceof Error)) return { error: typeof error }
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? []
  const reason = error instanceof CannotSanitizeError ? { reason: error.message } : {}
  return { error: error.name, ...reason, at: frames.slice(0, 8).map((line) => line.trim()) }
}
