import type { Outcome, Trace, Violation } from '@agentic-rest/profile'
import type { Answered } from './answer.ts'

/** Why a request got no answer that could be read. */
export type TransportErrorCode =
  | 'NETWORK'
  | 'TIMEOUT'
  | 'ABORTED'
  | 'RESPONSE_TOO_LARGE'
  | 'EVENT_TOO_LARGE'
  | 'FOREIGN_ORIGIN'

/** What is known of a failure besides its code. */
export interface FailureDetails {
  readonly cause?: unknown
  /** The ids that the request was sent with, for a report to the operators. */
  readonly trace?: Trace | undefined
  /** The outcome that could not be followed further; only with `FOREIGN_ORIGIN`. */
  readonly outcome?: Outcome | undefined
}

/** There is no answer: the wire broke, the time ran out, the caller left, or the answer outgrew its limit. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  readonly code: TransportErrorCode
  readonly trace: Trace | undefined
  readonly outcome: Outcome | undefined

  constructor(code: TransportErrorCode, message: string, details: FailureDetails = {}) {
    super(message, { cause: details.cause })
    this.code = code
    this.trace = details.trace
    this.outcome = details.outcome
  }
}

/** How an answer is not one of the profile. */
export type ProfileViolationCode = 'PROFILE_VIOLATION' | 'UNSUPPORTED_PROFILE_VERSION'

/** The answer that was refused. */
export interface RefusedAnswer {
  readonly status: number
  readonly headers: Headers
  readonly trace: Trace
  /** The profile version that the answer claims. */
  readonly profile: string | undefined
  readonly violations: readonly Violation[]
}

/** There is an answer, but it is not one of the profile, or not of a version that the client demands. */
export class ProfileViolationError extends Error {
  override readonly name = 'ProfileViolationError'
  readonly code: ProfileViolationCode
  readonly status: number
  readonly headers: Headers
  readonly trace: Trace
  readonly profile: string | undefined
  readonly violations: readonly Violation[]

  constructor(code: ProfileViolationCode, answer: RefusedAnswer) {
    super(answer.violations.map(({ pointer, message }) => `${pointer} ${message}`.trim()).join('; '))
    this.code = code
    this.status = answer.status
    this.headers = answer.headers
    this.trace = answer.trace
    this.profile = answer.profile
    this.violations = answer.violations
  }
}

/** Whether a stream never began, or began and broke off. */
export type StreamErrorCode = 'STREAM_REFUSED' | 'STREAM_FAILED'

/** A stream ended with a typed outcome: an ordinary answer in its place, or a last error frame. */
export class StreamError extends Error {
  override readonly name = 'StreamError'
  readonly code: StreamErrorCode
  readonly outcome: Answered

  constructor(code: StreamErrorCode, outcome: Answered) {
    super(`the stream ${code === 'STREAM_FAILED' ? 'broke off with' : 'was answered with'} ${outcome.type}`)
    this.code = code
    this.outcome = outcome
  }
}
