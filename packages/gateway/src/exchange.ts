import type { Readable } from 'node:stream'
import type { AuditEvent, Outcome, OutcomeType, Trace } from '@agentic-rest/profile'
import type { CancelSignal } from './cancel-signal.ts'
import type { Route } from './lifetime/router.ts'

/** Who the caller is, as the validated token says. */
export interface Identity {
  readonly subject: string
  readonly roles: readonly string[]
  /** All claims of the token; read with `readClaim`, never by walking prototypes. */
  readonly claims: Readonly<Record<string, unknown>>
  /** The token's issuer is registered with `service_account: true`. */
  readonly serviceAccount: boolean
  /** The issuer's own path to the tenant claim, where its configuration names one. */
  readonly tenantClaim: string | undefined
}

/** The body of the request, read or streamed, never both. */
export interface RequestBody {
  /** 0 when there is none, `undefined` for a chunked body that nobody has read. */
  length(): number | undefined
  /** All of it is in memory, or there is none. */
  isRead(): boolean
  /** The whole body, or `undefined` when it is larger than `maxBytes`. May be called again. */
  read(maxBytes: number): Promise<Buffer | undefined>
  /** Other bytes stand in its place: what was said about the ones that came is no longer true. */
  isReplaced(): boolean
  /** Puts other bytes in its place; the forwarded request is framed anew. */
  replace(bytes: Buffer): void
  /** What to forward. A stream can be taken once. */
  content(): Buffer | Readable | undefined
}

/** The body turned out larger than `max_body_bytes` while it was forwarded. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError'
}

/** Why a request ends before its answer is complete. */
export type CancelReason = 'client_disconnect' | 'timeout' | 'shutdown'

/** What went wrong with a stream. */
export type StreamErrorKind = 'client_disconnect' | 'upstream_error' | 'timeout' | 'limit_exceeded'

/** How the exchange ended, for metrics and audit. */
export interface ExchangeResult {
  /** The status the client got, or would have got; 0 when it left before. */
  readonly status: number
  /** The outcome label of the metrics: one of the ten types or one of the labels beside them. */
  readonly label: string
  /** The typed outcome, where status and media type are those of its row. */
  readonly outcomeType: OutcomeType | undefined
}

/**
 * The answer's way back to the client. `listen/` implements it, so that nothing else knows the wire. What is asked are
 * functions and no getters: V8 makes a hidden class for each object with getters of its own, keeps it until the next
 * major collection, and with it everything that the getters see.
 */
export interface Reply {
  isHeadSent(): boolean
  /** True once the connection is gone or the answer is complete. */
  isClosed(): boolean
  /** Sends status and headers. Header names keep their case; values may repeat. */
  head(status: number, headers: readonly string[]): void
  /** Sends the head at once, before there is a body. */
  flush(): void
  /** Sends a part of the body; false asks to wait for `onDrain`. */
  write(chunk: Uint8Array): boolean
  onDrain(listener: () => void): void
  end(chunk?: Buffer): void
  /** The answer is complete and its last byte has left: nothing is waited for any more. */
  isFlushed(): boolean
  /** Resolves when the last byte has left or the connection is gone. */
  whenEnded(): Promise<void>
  /** Cuts the connection, so that the client sees that the answer is incomplete. */
  destroy(): void
}

/** One request and its answer: the only object that is made per request. */
export interface Exchange {
  // listen
  readonly method: string
  /** The canonical path: matched and forwarded in this form. */
  readonly path: string
  /** The query with its question mark, or an empty string. */
  readonly query: string
  /** Values by lower-case name, without a prototype; repeated headers are joined. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Names and values in turn, as they came: what forwarding starts from. */
  readonly rawHeaders: readonly string[]
  readonly trace: Trace
  /** Why listen refuses the request: everything that is wrong with its head. */
  readonly headFault: Outcome | undefined
  readonly clientAddress: string
  readonly protocol: 'http' | 'https'
  /** `performance.now()` at the arrival of the head. */
  readonly startedAt: number
  /** The gateway's own span of this request: 16 hexadecimal digits. */
  readonly spanId: string
  readonly body: RequestBody
  readonly reply: Reply
  /** Aborted with a `CancelReason` when the request ends early. */
  readonly signal: CancelSignal
  readonly cancel: (reason: CancelReason) => void

  // route
  route: Route | undefined
  /** Decoded path parameters in the order of the template, without a prototype. */
  params: Readonly<Record<string, string>>
  /** Methods of the path, when only the method did not match. */
  allowedMethods: readonly string[]
  /** The route has `mode: sse` and the client accepts an event stream. */
  streaming: boolean
  /** Ends the exchange when its time is over; cleared when it is answered. */
  deadline: NodeJS.Timeout | undefined

  // token-validator
  identity: Identity | undefined
  /** Who acts, for audit and the upstream; empty when nobody is known. */
  actor: string

  // tenant-injector
  tenantId: string | undefined

  // prompt-sanitize
  /** Rules exist, but not for a body of this type: it goes on as it is and is never recorded. */
  bodyUninspected: boolean

  // take-slot
  /** Gives the tenant's stream slot back; safe to call again. */
  releaseSlot: (() => void) | undefined

  // otel-audit
  auditEvent: AuditEvent | undefined
  requestBodyForAudit: string | undefined

  // upstream
  upstreamStartedAt: number | undefined
  upstreamEndedAt: number | undefined

  /** Why the stream failed, if it did: take-slot, upstream and respond can tell. */
  streamError: StreamErrorKind | undefined

  // check
  /** The rules of the profile that the upstream's answer broke. */
  violations: readonly string[]

  // active-exchanges
  /** Where it stands among those that are not over. */
  seatInLoad: number
  seatInSnapshot: number

  // respond
  result: ExchangeResult | undefined
}

/** What a step says: nothing to go on, or the outcome that ends the request. */
export type StepResult = Outcome | undefined
