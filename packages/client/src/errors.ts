import type { Outcome, Trace, Violation } from '@agentic-rest/profile'
import type { Answered } from './answer.ts'

/** The reason why a request has no readable answer. */
export type TransportErrorCode =
  | 'NETWORK'
  | 'TIMEOUT'
  | 'ABORTED'
  | 'RESPONSE_TOO_LARGE'
  | 'EVENT_TOO_LARGE'
  | 'STREAM_FAILED'
  | 'FOREIGN_ORIGIN'

/** Details of a failure. */
export interface FailureDetails {
  readonly cause?: unknown
  /** The ids of the request, for a report to the operators. */
  readonly trace?: Trace | undefined
  /** Where the request went. */
  readonly url?: URL | undefined
  /** The outcome that could not be followed; only with `FOREIGN_ORIGIN`. */
  readonly outcome?: Outcome | undefined
}

/** There is no answer: a network error, a timeout, an abort by the caller, or an answer above the size limit. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  readonly code: TransportErrorCode
  readonly trace: Trace | undefined
  readonly outcome: Outcome | undefined
  /** Origin and path of the request; absent if none was sent. The query may hold secrets and is left out. */
  readonly address: string | undefined

  constructor(
    code: TransportErrorCode,
    message: string,
    { cause, trace, url, outcome }: FailureDetails = {},
  ) {
    const address = url && `${url.origin}${url.pathname}`
    super(address === undefined ? message : `${message} (${address})`, { cause })
    this.code = code
    this.trace = trace
    this.outcome = outcome
    this.address = address
  }
}

/** The kind of a profile violation. */
export type ProfileViolationCode = 'PROFILE_VIOLATION' | 'UNSUPPORTED_PROFILE_VERSION'

/** The refused answer. */
export interface RefusedAnswer {
  readonly status: number
  readonly headers: Headers
  readonly trace: Trace
  /** The profile version in the header of the answer. */
  readonly profile: string | undefined
  readonly violations: readonly Violation[]
}

/** The answer violates the profile, or has a version that the client does not accept. */
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

/** Whether a stream did not start, or broke off. */
export type StreamErrorCode = 'STREAM_REFUSED' | 'STREAM_FAILED'

/** A stream ended with a typed outcome: an ordinary answer instead of a stream, or a last error frame. */
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
