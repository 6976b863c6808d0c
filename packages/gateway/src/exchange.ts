import type { Readable } from 'node:stream'
import type { AuditEvent, Outcome, OutcomeType, Trace } from '@agentic-rest/profile'
import { mappableFields, ownAuditFields } from './config/audit-fields.ts'
import type { RouteConfig } from './config/config-schema.ts'

/** What a step says: nothing to go on, or the outcome that ends the request. */
export type StepResult = Outcome | undefined

/** The caller, as the validated token names it. */
export interface Identity {
  /** A subject means something only together with its issuer: two issuers may both know an `alice` (decision 36). */
  readonly issuer: string
  readonly subject: string
  readonly roles: readonly string[]
  /** From the claim `scope`, else `scp`. */
  readonly scopes: readonly string[]
  /** All claims of the token; read with `readClaim`, never by walking prototypes. */
  readonly claims: Readonly<Record<string, unknown>>
  /** The issuer is registered with `service_account: true`, or the token has a claim of its `service_accounts`. */
  readonly serviceAccount: boolean
  /** The only tenants that a service account may name, where its issuer lists them. */
  readonly serviceTenants: ReadonlySet<string> | undefined
  /** The issuer's own path to the tenant claim, where its configuration names one. */
  readonly tenantClaim: string | undefined
  /** Digest of the client certificate that the token is bound to; empty for a binding that the gateway cannot check. */
  readonly boundTo?: string
  /** When an open stream of the caller ends (`Date.now()`), with `end_streams_at_expiry`. */
  readonly streamsEndAt?: number
}

/** Why bytes cannot be held: a bound is reached, or the request has ended. */
export type NotHeld = 'total' | 'perTenant' | 'ended'

/** The bytes of bodies that one request holds in memory. `limits/` implements it. */
export interface ByteAccount {
  /** Why so many more bytes cannot be held now, if so. Nothing is counted. */
  refusal(bytes: number): NotHeld | undefined
  /** Counts bytes, or returns why they cannot be held. */
  take(bytes: number): NotHeld | undefined
  /** Counts bytes that are in memory already, whatever the bounds; a negative number for bytes that are gone. */
  add(bytes: number): void
  /** Ends the account: its request has ended. */
  close(): void
}

/** The body of a request: read into memory or streamed, never both. `listen/` implements it. */
export interface RequestBody {
  /** 0 without a body, `undefined` for a chunked body that has not been read. */
  readonly length: number | undefined
  /** The whole body is in memory, or there is none. */
  readonly isRead: boolean
  /** A plugin replaced the bytes: headers that describe the original bytes are no longer true. */
  readonly isReplaced: boolean
  /**
   * Reads the whole body; `undefined` when it is larger than `maxBytes`. May be called again. Rejects with a
   * `LimitReachedError` when the gateway holds as many bytes as it may.
   */
  read(maxBytes: number): Promise<Buffer | undefined>
  /** The whole body without a wait; `undefined` where only `read` can tell. Most small bodies arrive with their head. */
  arrived(maxBytes: number): Buffer | undefined
  /** Counts the bytes that are read into memory; before it is called, they are not counted. */
  holdIn(account: ByteAccount): void
  /** Replaces the bytes; the forwarded request is framed anew. */
  replace(bytes: Buffer): void
  /** The content to forward. A stream can be taken once. */
  content(): Buffer | Readable | undefined
}

/** The body exceeded `max_body_bytes` while it was forwarded. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError'
}

/** The answer to the client. `listen/` implements it, so that nothing else knows the wire. */
export interface Reply {
  readonly isHeadSent: boolean
  /** The connection is gone, or the answer is complete. */
  readonly isClosed: boolean
  /** The answer is complete and its last byte has left. */
  readonly isFlushed: boolean
  /** Sends status and headers. Header names keep their case; values may repeat. */
  head(status: number, headers: readonly string[]): void
  /** Sends the head at once, before there is a body. */
  flush(): void
  /** Sends a part of the body; false asks to wait for `onDrain`. */
  write(chunk: Uint8Array): boolean
  onDrain(listener: () => void): void
  end(chunk?: Buffer): void
  /** Resolves when the last byte has left or the connection is gone. */
  whenEnded(): Promise<void>
  /** Cuts the connection, so that the client sees an incomplete answer. */
  destroy(): void
}

/** Why a request ends before its answer is complete. */
export type CancelReason = 'client_disconnect' | 'timeout' | 'shutdown' | 'token_expired' | 'unknown_issuer'

/** Says that a request ends early, and why. An `AbortSignal` fits too. */
export interface CancelSignal {
  readonly aborted: boolean
  readonly reason: unknown
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** The signal of one request: a tenth of the cost of an `AbortController`, which every request would pay. */
export class Cancellation implements CancelSignal {
  reason: CancelReason | undefined = undefined
  /** The request goes on when its client leaves. */
  outlivesClient = false
  private readonly listeners: (() => void)[] = []

  get aborted(): boolean {
    return this.reason !== undefined
  }

  throwIfAborted(): void {
    if (this.reason !== undefined) throw this.reason
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.listeners.push(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const index = this.listeners.indexOf(listener)
    if (index !== -1) this.listeners.splice(index, 1)
  }

  /** Calls every listener once; the first reason stays. */
  cancel(reason: CancelReason): void {
    if (this.reason !== undefined) return
    if (this.outlivesClient && reason === 'client_disconnect') return
    this.reason = reason
    for (const listener of this.listeners.splice(0)) listener()
  }
}

/** An answer that is stored for retries of its request: plain JSON, which one process can send to another. */
export interface KeptAnswer {
  readonly status: number
  /** Names and values in turn. */
  readonly headers: readonly string[]
  /** The bytes of the body, one character each (latin1). */
  readonly body: string
}

/** The end of a claimed key. A free key can be claimed again. */
export type KeyEnd =
  | { readonly type: 'kept'; readonly answer: KeptAnswer }
  | { readonly type: 'free' | 'unknown' | 'not_replayable' }

/** The claim of a request on its idempotency key. */
export interface KeyClaim {
  /** A request that may have been received is never sent again (`onUnknown: refuse`). */
  readonly sendsOnce: boolean
  readonly maxStoredBytes: number
  /** Ends the claim; only the first call counts. Never rejects. */
  settle(end: KeyEnd): Promise<void>
}

/** Waits for a promise until its request is cancelled; rejects with the reason then. */
export function unlessCancelled<T>(promise: Promise<T>, signal: CancelSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancelled = () => reject(signal.reason)
    if (signal.aborted) cancelled()
    signal.addEventListener('abort', cancelled)
    const settle = <Value>(end: (value: Value) => void, value: Value) => {
      signal.removeEventListener('abort', cancelled)
      end(value)
    }
    promise.then(
      (value) => settle(resolve, value),
      (error: unknown) => settle(reject, error),
    )
  })
}

/** The tokens of a model's answer, as its upstream reported them. */
export interface Usage {
  readonly input: number
  readonly output: number
  readonly model?: string
}

/** The tokens of an answer without a report, as far as the gateway saw them. */
export interface Produced {
  /** Reported before the answer broke off. */
  readonly input: number | undefined
  /** One for each event. */
  readonly output: number
}

/** The MCP call that a request was made for. */
export interface McpCall {
  readonly tool: string
  readonly version: string
  /** The name that the client gives itself, at most 64 characters. It is not trusted. */
  readonly client: string
  /** The round of the call; the first is 1. */
  readonly round: number
  /** Whether the service may get the caller's token: MCP forbids it. */
  readonly forwardsToken: boolean
}

/** How an upstream's answer reached the client: complete, or broken off and by whom. */
export type DeliveryEnd = 'complete' | 'upstream_error' | CancelReason

/** An upstream's answer after its delivery. */
export interface Delivery {
  readonly status: number
  /** The media type without parameters. */
  readonly essence: string | undefined
  readonly end: DeliveryEnd
}

/** Why a stream failed. */
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

/** Why the gateway answered a request itself, or broke an answer off. */
export interface Reason {
  /** A code of `docs/errors.md`, or the code of a custom plugin. */
  readonly code: string
  /** The limit, the policy, the rule of the profile or the field that decided. */
  readonly rule: string | undefined
  /** The fault behind it as one word, such as `ECONNREFUSED`, or as a place in the answer; never a host, a secret or a value of a body. */
  readonly cause: string | undefined
  /** The step that decided: a plugin, or `admit`, `route`, `idempotency`, `take-slot`, `upstream`, `check-response`, `deliver`. */
  readonly step: string
}

/** The steps of a request and when each ended, kept only while somebody watches requests. */
export class Trail {
  readonly names: string[] = []
  /** By `performance.now()`. */
  readonly endedAt: number[] = []

  end(name: string): void {
    this.names.push(name)
    this.endedAt.push(performance.now())
  }
}

/** The head of a request, as `listen/` read and judged it. */
export interface RequestHead {
  readonly method: string
  /** The canonical path: matched and forwarded in this form. */
  readonly path: string
  /** The query with its question mark, or an empty string. */
  readonly query: string
  /** Values by lower-case name, without a prototype; repeated headers are joined. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Names and values in turn, as received: the source of the forwarded headers. */
  readonly rawHeaders: readonly string[]
  readonly trace: Trace
  /** The refusal that lists every fault of the head. */
  readonly headFault: Outcome | undefined
}

/** The connection's side of a request, as `listen/` provides it. */
export interface RequestWire {
  readonly body: RequestBody
  readonly reply: Reply
  readonly signal: Cancellation
  readonly clientAddress: string
  readonly protocol: 'http' | 'https'
  /** SHA-256 of the client's valid certificate, in base64url. */
  readonly certificateDigest?: string | undefined
  /** The gateway's own span of this request: 16 hexadecimal digits. */
  readonly spanId: string
  /** `performance.now()` at the arrival of the head. */
  readonly startedAt: number
  /** The answer before it on its connection promised to keep the connection, and ended in a drain: the client could not know. */
  readonly isPromised?: boolean
}

const ATTRIBUTE_NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/
const MOST_ATTRIBUTES = 32
const LONGEST_ATTRIBUTE = 1024

/** Fields of the record and attributes of the gateway: a plugin that could set one could hide the caller (decision 17). */
const RESERVED_ATTRIBUTES: ReadonlySet<string> = new Set([...mappableFields, ...ownAuditFields, 'issuer'])

/** Adds an attribute of a plugin to the audit record, or replaces it. A long value is cut: audit never fails a request. */
export function setAuditAttribute(exchange: Exchange, name: string, value: string | number | boolean): void {
  if (typeof name !== 'string' || !ATTRIBUTE_NAME.test(name))
    throw new TypeError(
      'the name of an audit attribute is a letter, then up to 63 letters, digits, "_", "." or "-"',
    )
  if (RESERVED_ATTRIBUTES.has(name)) throw new TypeError(`the audit attribute ${name} belongs to the gateway`)
  if (!['string', 'number', 'boolean'].includes(typeof value))
    throw new TypeError(`the audit attribute ${name} must be a string, a number or a boolean`)
  const attributes = exchange.auditAttributes ?? Object.create(null)
  if (!Object.hasOwn(attributes, name) && Object.keys(attributes).length >= MOST_ATTRIBUTES)
    throw new TypeError(`a record takes at most ${MOST_ATTRIBUTES} audit attributes of plugins`)
  attributes[name] = String(value).slice(0, LONGEST_ATTRIBUTE).toWellFormed()
  exchange.auditAttributes = attributes
}

/** The redactions of a request as text, such as `email x1, api_key x2`; `undefined` without one. */
export function redactedText({ redactions }: Pick<Exchange, 'redactions'>): string | undefined {
  if (redactions === undefined) return undefined
  return Object.entries(redactions)
    .map(([rule, count]) => `${rule} x${count}`)
    .join(', ')
}

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze(Object.create(null))
const NONE: readonly string[] = Object.freeze([])

/** Position of an exchange that is in no list of active exchanges. */
export const NOT_ACTIVE = -1

/** One request and its answer: the only object per request. Each field names the step that sets it. */
export class Exchange implements RequestHead, RequestWire {
  // listen
  readonly method: string
  /** prompt-sanitize replaces it where it must not be shown: in requests that are not forwarded. */
  path: string
  /** prompt-sanitize redacts it. */
  query: string
  /** The session of the approval page adds the token of its cookie. */
  headers: RequestHead['headers']
  /** The session of the approval page removes its cookie. */
  rawHeaders: readonly string[]
  readonly trace: Trace
  readonly headFault: Outcome | undefined
  readonly body: RequestBody
  readonly reply: Reply
  readonly signal: Cancellation
  readonly clientAddress: string
  readonly protocol: 'http' | 'https'
  readonly certificateDigest: string | undefined
  readonly spanId: string
  readonly startedAt: number
  readonly isPromised: boolean

  // mcp
  /** Set for the requests of MCP calls, which no client sent as they are. */
  mcpCall: McpCall | undefined = undefined
  /** The challenge of the endpoint for MCP clients, for a request with a refused token. */
  challenge: string | undefined = undefined

  // route
  route: RouteConfig | undefined = undefined
  /** Decoded path parameters in the order of the template, without a prototype. */
  params: Readonly<Record<string, string>> = NO_PARAMS
  /** Methods of the path, when only the method did not match. */
  allowedMethods: readonly string[] = NONE
  /** The route has `mode: sse` and the client accepts an event stream. */
  streaming = false
  /** The end of its time, by `performance.now()`. */
  deadlineAt: number | undefined = undefined
  /** Cancels the request when its time is over; cleared when it is answered. Most requests never get one. */
  deadline: NodeJS.Timeout | undefined = undefined

  // token-validator
  /** It waits for an unknown key of its issuer, outside `max_in_flight`. */
  waitsForKey = false
  identity: Identity | undefined = undefined
  /** Actor for audit and upstream; empty when nobody is known. */
  actor = ''

  // tenant-injector
  tenantId: string | undefined = undefined

  // limits
  /** A policy counts tokens or money on this route: `usage` of the answer is read. */
  countsUsage = false
  /** The headers of the limits that count the request, names and values in turn. */
  limitHeaders: readonly string[] = NONE
  /** The cost of the reported tokens in millionths, set at the end of the request. */
  costMicro: number | undefined = undefined

  // pipeline, after tenant-injector
  /** The request counts against the share of its tenant; a stream no longer does. */
  inShare = false
  /** The bytes of bodies that the request holds in memory. */
  heldBytes: ByteAccount | undefined = undefined

  // route-policy
  /** The route whose `scopes` or `allow` denied the request. */
  deniedPolicy: string | undefined = undefined

  // prompt-sanitize
  /** Rules exist, but the body is of another type and `uninspected: pass` forwards it unchanged: it is never recorded. */
  bodyUninspected = false
  /** The redactions in query and body, by the name of the rule. */
  redactions: Readonly<Record<string, number>> | undefined = undefined
  /** The rules have searched the path values: records may show them. */
  pathInspected = false

  // prompt-sanitize and token-validator
  /** The rule, claim or header that refused the request, where no other field names it. */
  rule: string | undefined = undefined

  // any step with a limit
  /** The limit that refused the request, set with `refuse`. */
  limit: string | undefined = undefined

  /** The step that works on the request now. */
  step = 'route'
  /** When each step ended; `undefined` while nobody watches requests. */
  trail: Trail | undefined = undefined
  /** The fault behind a refusal, made with `causeOf`. */
  cause: string | undefined = undefined

  // any plugin
  /** Attributes of the audit record, set with `setAuditAttribute`. */
  auditAttributes: Record<string, string> | undefined = undefined

  // otel-audit
  auditEvent: AuditEvent | undefined = undefined
  requestBodyForAudit: string | undefined = undefined

  // idempotency
  /** The claim on the key of the request, where the gateway keeps keys for its route. */
  keyClaim: KeyClaim | undefined = undefined
  /** The answer is that of an earlier request with the same key. */
  replayed = false

  // take-slot
  /** Whether the request took a stream slot of its tenant. It stays `taken` after the release. */
  slot: 'none' | 'taken' | 'refused' = 'none'
  /** Gives the slot back; safe to call again. */
  releaseSlot: (() => void) | undefined = undefined
  /** Ends a stream at the expiry of its token; cleared when the stream has ended. */
  expiry: NodeJS.Timeout | undefined = undefined

  // call-upstream
  upstreamStartedAt: number | undefined = undefined
  upstreamEndedAt: number | undefined = undefined
  /** The attempts of which an upstream may have received a part. */
  sendCount = 0
  /** The status of the upstream's answer, also of one that is not passed on. */
  upstreamStatus: number | undefined = undefined
  /** The request was sent again, on a new connection or to another target. */
  resent = false
  /** The seconds after which a request may find a target of its upstream again, when all are out. */
  retryAfterSeconds: number | undefined = undefined
  /** The rules of the profile that the upstream's answer broke. */
  violations: readonly string[] = NONE
  /** The tokens that the answer reported; `undefined` when it did not, or when nobody counts them. */
  usage: Usage | undefined = undefined
  /** The output of a counted stream that reported nothing. */
  produced: Produced | undefined = undefined
  /** The upstream's answer, when it was passed on. */
  delivery: Delivery | undefined = undefined

  // respond
  /** The gateway's own answer, when the upstream's was not passed on. */
  outcome: Outcome | undefined = undefined

  // deliver, respond
  /** The headers of the answer, names and values in turn; empty while nobody watches requests. */
  sentHeaders: readonly string[] = NONE

  // finish
  result: ExchangeResult | undefined = undefined
  /** Set when the gateway answered itself with an error, or broke an answer off. */
  reason: Reason | undefined = undefined
  streamError: StreamErrorKind | undefined = undefined

  // active-exchanges
  /** Position in the list of the gateway's exchanges, and in that of its snapshot. */
  positionInLoad = NOT_ACTIVE
  positionInSnapshot = NOT_ACTIVE

  constructor(head: RequestHead, wire: RequestWire) {
    this.method = head.method
    this.path = head.path
    this.query = head.query
    this.headers = head.headers
    this.rawHeaders = head.rawHeaders
    this.trace = head.trace
    this.headFault = head.headFault
    this.body = wire.body
    this.reply = wire.reply
    this.signal = wire.signal
    this.clientAddress = wire.clientAddress
    this.protocol = wire.protocol
    this.certificateDigest = wire.certificateDigest
    this.spanId = wire.spanId
    this.startedAt = wire.startedAt
    this.isPromised = wire.isPromised === true
  }
}
