import {
  type AuditEmitter,
  acceptsType,
  EVENT_STREAM_TYPE,
  headers,
  type Outcome,
  type Trace,
  type WrittenOutcome,
  writeErrorFrame,
  writeOutcomeFrame,
} from '@agentic-rest/profile'
import { type Answer, type Step, toResponse, writeAnswer } from './answer.ts'
import { eventTypes, openRecord, type RequestRecord } from './audit/request-record.ts'
import type { CallOptions } from './call/call.ts'
import type { Durable } from './durable.ts'
import { fingerprint } from './fingerprint.ts'
import { type Caller, openTrace, plainIdentity, readCaller } from './http/caller.ts'
import type { OwnEnd } from './http/own-hosts.ts'
import { readBody } from './http/read-body.ts'
import type { Match, Router } from './http/router.ts'
import type { InFlight } from './in-flight.ts'
import { checkInput } from './input/check-input.ts'
import { type CollectedInput, collectInput } from './input/collect-input.ts'
import { keepRequest } from './kept-request.ts'
import { type Log, withFields } from './log.ts'
import { createdLocation, success } from './make-outcome.ts'
import type { StreamCounts } from './metrics.ts'
import { DOCUMENT_PATH } from './openapi/document.ts'
import { perform, type RunEvents, scopeOf } from './perform.ts'
import { refusal } from './refusals.ts'
import { makeContext } from './run-context.ts'
import type { Job, Scope } from './runtime/contract.ts'
import { StoreUnavailableError } from './runtime/store.ts'
import { dropEvents } from './stream/quiet-sink.ts'
import { passRaw } from './stream/raw-answer.ts'
import { StreamedAnswer, type StreamSettings, streamHeaders } from './stream/streamed-answer.ts'
import type { Trust } from './trust/trust.ts'

/** The parts of a service; created once by `createService`. */
export interface ServiceParts {
  readonly router: Router
  readonly durable: Durable
  readonly emitter: AuditEmitter
  readonly log: Log
  readonly inFlight: InFlight
  readonly callOptions: CallOptions
  readonly document: () => object
  /** Set if only signed identities are believed. */
  readonly trust: Trust | undefined
  readonly defaultTenant: string | undefined
  readonly maxBodyBytes: number
  readonly publicPath: string
  readonly streams: StreamSettings
  readonly streamCounts: StreamCounts
}

/** Handles a request. The answer of a stream begins before its outcome is known. */
export async function handleRequest(
  parts: ServiceParts,
  request: Request,
  end: OwnEnd | undefined,
): Promise<Response> {
  const opened = openTrace(request)
  const exchange = openExchange(parts, { request, end }, opened.trace)
  const answering = answerSafely(parts, exchange, opened)
  const { stream } = exchange
  if (stream === undefined) return finishAnswer(parts, exchange, await answering)
  const first = await Promise.race([answering, stream.opened])
  if (first !== 'opened') return finishAnswer(parts, exchange, first)
  parts.inFlight.trackStream(finishStream(parts, { exchange, answering, stream }))
  return stream.toResponse()
}

/** An answer with its encoding. */
interface Answered {
  readonly answer: Answer
  readonly written: WrittenOutcome
  /** Whether the request failed without an outcome of its own. */
  readonly isFault: boolean
}

/** Answers a request. This is the only place that catches errors. */
async function answerSafely(
  parts: ServiceParts,
  exchange: Exchange,
  opened: Step<undefined>,
): Promise<Answered> {
  try {
    const bare = opened.ok ? await answerRequest(parts, exchange) : opened.answer
    const answer = withLocation(bare, exchange, parts.publicPath)
    const written = writeAnswer(answer, exchange.trace)
    return { answer, written, isFault: false }
  } catch (cause) {
    logFailure(exchange, cause)
    const answer = { outcome: failureOf(cause), headers: {} }
    return { answer, written: writeAnswer(answer, exchange.trace), isFault: true }
  }
}

function finishAnswer(parts: ServiceParts, exchange: Exchange, { answer, written }: Answered): Response {
  const { request, trace, record, log } = exchange
  const { outcome, headers: own, raw } = answer
  parts.callOptions.observer?.answered(trace, outcome)
  if (raw !== undefined) {
    const { response, end } = passRaw(raw, { trace, headers: own, method: request.method, log })
    parts.inFlight.trackStream(
      end.then((attributes) => {
        record?.audit.set({ attributes })
        record?.write(eventTypes.written, outcome)
      }),
    )
    return response
  }
  record?.write(eventTypes.written, outcome)
  if (exchange.isStreaming && isReplay(answer))
    return new Response(outcomeFrame(answer, trace), { headers: streamHeaders(trace, own) })
  return toResponse(written, request.method)
}

/** A stored outcome is a stream of one frame, except an accepted operation, which is polled. */
function isReplay({ outcome, headers: own }: Answer): boolean {
  return outcome.type !== 'accepted' && headers.idempotencyReplayed in own
}

/** The head of a stream is sent before its outcome is known, so the frame has the address of the answer. */
function outcomeFrame({ outcome, headers: { location } }: Answer, trace: Trace): string {
  return writeOutcomeFrame(outcome, trace, { location })
}

interface Streaming {
  readonly exchange: Exchange
  readonly answering: Promise<Answered>
  readonly stream: StreamedAnswer
}

/** Sends the last frame of a stream and writes its record. */
async function finishStream(
  { callOptions }: ServiceParts,
  { exchange, answering, stream }: Streaming,
): Promise<void> {
  const { trace, record } = exchange
  const { answer, isFault } = await Promise.race([
    answering,
    stream.cut.then((outcome) => ({ answer: { outcome, headers: {} }, isFault: true })),
  ])
  const { outcome } = answer
  const frame = isFault ? writeErrorFrame(outcome, trace) : outcomeFrame(answer, trace)
  const ended = stream.end(frame)
  record?.audit.set({ attributes: stream.attributes(isFault) })
  record?.write(eventTypes.written, outcome)
  callOptions.observer?.answered(trace, outcome)
  await ended
}

/** The steps of a request. Each gives a value to the next step or ends the request with an answer. */
async function answerRequest(parts: ServiceParts, exchange: Exchange): Promise<Answer> {
  const { request, url, method } = exchange
  // Another instance can take the request (decision 2: this status has only the header).
  if (parts.inFlight.isClosing())
    return { outcome: refusal('SHUTTING_DOWN'), headers: { [headers.retryAfter]: '1' } }
  if (url.pathname === DOCUMENT_PATH && method === 'GET') return documentAnswer(parts)
  const match = parts.router.find(method, url.pathname)
  if (!match.ok) return match.answer
  const caller = await identify(parts, exchange)
  exchange.record = recordOf(parts, exchange, {
    match: match.value,
    caller: caller.ok ? caller.value : undefined,
  })
  if (!caller.ok) return caller.answer
  const { operation, params } = match.value
  const body = operation.readsBody
    ? await readBody(request, { maxBodyBytes: parts.maxBodyBytes, digest: caller.value.bodyDigest })
    : { ok: true as const, value: {} }
  if (!body.ok) return body.answer
  const source = { params, query: url.searchParams, headers: request.headers, body: body.value }
  const collected = collectInput(operation, source)
  const checked = await checkInput(operation, collected)
  if (!checked.ok) return { outcome: checked.outcome, headers: {} }
  const digest = await fingerprint({ ...source, match: match.value })
  return performRequest(parts, exchange, {
    match: match.value,
    caller: caller.value,
    collected,
    input: checked.value,
    digest,
  })
}

/** With `trust` the plain headers of an identity are not read. */
async function identify({ trust, defaultTenant }: ServiceParts, { request, end }: Exchange) {
  const identity = trust === undefined ? plainIdentity(request) : await trust.identify(request, end)
  return identity.ok ? readCaller(request, identity.value, defaultTenant) : identity
}

interface CheckedRequest {
  readonly match: Match
  readonly caller: Caller
  readonly collected: CollectedInput
  readonly input: unknown
  readonly digest: string
}

function performRequest(parts: ServiceParts, exchange: Exchange, checked: CheckedRequest): Promise<Answer> {
  const { match, caller, input, digest } = checked
  const { operation, params } = match
  const { trace, log, signal, innerApprovals, record, stream } = exchange
  exchange.isStreaming = operation.streams && stream !== undefined
  const scope = scopeOf(caller, operation)
  const approvalTokens = readTokens(caller.approvalToken)
  let forwarded = caller.approvalToken
  const context = makeContext({
    ...pickIdentity(caller),
    operation,
    params,
    input,
    trace,
    log,
    signal,
    audit: record?.audit ?? { set: () => undefined, emit: () => undefined },
    callOptions: parts.callOptions,
    passedOn: {
      authorization: caller.authorization,
      traceparent: caller.traceparent,
      forwardedApproval: () => forwarded,
      approvalWanted: (token, location) => void innerApprovals.set(token, location),
      via: caller.via,
    },
  })
  return perform({
    operation,
    context,
    scope,
    digest,
    approvalTokens,
    job: operation.async === false ? undefined : jobOf(checked, scope, exchange),
    prefersAsync: caller.prefersAsync,
    durable: parts.durable,
    events:
      stream === undefined ? { isAccepted: false, ...dropEvents(signal) } : eventsOf(stream, operation.id),
    publicPath: parts.publicPath,
    approvalDetail: () => ({
      request: keepRequest({ operation, params, collected: checked.collected, publicPath: parts.publicPath }),
      via: caller.via,
      correlationId: trace.correlationId,
    }),
    ownApproval: (own) => {
      forwarded = approvalTokens.filter((token) => token !== own).join(', ') || undefined
    },
  })
}

function eventsOf(stream: StreamedAnswer, operation: string): RunEvents {
  return {
    isAccepted: true,
    open: (own) => stream.open(operation, own),
    push: (event) => stream.push(event),
  }
}

// Each gate on the way may need one token. More gates than this are not expected.
const MAX_APPROVAL_TOKENS = 8

/** Reads the approval tokens of a request, one for each gate on its way. */
function readTokens(value = ''): readonly string[] {
  return value
    .split(/[\s,]+/)
    .filter((token) => token !== '')
    .slice(0, MAX_APPROVAL_TOKENS)
}

function pickIdentity({ tenant, actor, subject, issuer, roles, idempotencyKey }: Caller) {
  return { tenant, actor, subject, issuer, roles, idempotencyKey }
}

function jobOf({ match, caller, collected }: CheckedRequest, scope: Scope, { trace }: Exchange): Job {
  const { actor, roles, idempotencyKey } = caller
  return {
    scope,
    actor,
    roles,
    trace,
    input: collected,
    params: match.params,
    idempotencyKey,
    approvalId: undefined,
    ...(caller.via.length > 0 && { via: caller.via }),
  }
}

function openExchange(
  parts: ServiceParts,
  { request, end }: Pick<Exchange, 'request' | 'end'>,
  trace: Exchange['trace'],
): Exchange {
  const { log, inFlight } = parts
  const stream = streamFor(parts, request, trace)
  const signals = [request.signal, inFlight.signal, ...(stream === undefined ? [] : [stream.signal])]
  return {
    request,
    end,
    url: new URL(request.url),
    method: request.method === 'HEAD' ? 'GET' : request.method,
    trace,
    log: withFields(log, trace as unknown as Record<string, unknown>),
    signal: AbortSignal.any(signals),
    stream,
    isStreaming: false,
    innerApprovals: new Map(),
    record: undefined,
  }
}

/** A response to HEAD has no body, so it cannot be a stream. */
function streamFor({ streams, streamCounts, inFlight }: ServiceParts, request: Request, trace: Trace) {
  const accept = request.headers.get('accept') ?? undefined
  if (request.method === 'HEAD' || !acceptsType(accept, EVENT_STREAM_TYPE)) return undefined
  const { signal } = request
  return new StreamedAnswer({
    signal,
    closing: inFlight.signal,
    trace,
    counts: streamCounts,
    settings: streams,
  })
}

function recordOf(
  { emitter }: ServiceParts,
  { trace, log }: Exchange,
  { match, caller }: { readonly match: Match; readonly caller: Caller | undefined },
) {
  const { operation, params } = match
  const last = operation.parameters.at(-1)
  return openRecord({
    emitter,
    log,
    operation: operation.id,
    tenant: caller?.tenant ?? '',
    actor: caller?.actor ?? '',
    subject: caller?.subject,
    issuer: caller?.issuer,
    trace,
    resourceId: last === undefined ? '' : (params[last] ?? ''),
  })
}

/** The document belongs to no tenant. `toJSON` keeps the trace out of it. */
function documentAnswer({ document }: ServiceParts): Answer {
  return { outcome: success({ toJSON: document }), headers: {} }
}

/** Adds the address of a created resource, or of an inner approval if callers can reach the inner agent. */
function withLocation(answer: Answer, { innerApprovals }: Exchange, publicPath: string): Answer {
  const { outcome, headers: own } = answer
  const location =
    outcome.type === 'approval_required'
      ? innerApprovals.get(outcome.approvalToken)
      : createdLocation(outcome, publicPath)
  // In lower case, as `setHeader` keeps it: two spellings would become two values of one header.
  return location === undefined ? answer : { ...answer, headers: { ...own, location } }
}

/** An unavailable store is a failed dependency; every other error is a fault. */
function failureOf(cause: unknown): Outcome {
  return refusal(cause instanceof StoreUnavailableError ? 'STORE_UNAVAILABLE' : 'INTERNAL_ERROR')
}

function logFailure({ request, stream, log, record }: Exchange, cause: unknown): void {
  if (request.signal.aborted || stream?.hasLeft()) log.info('the caller left before the answer', { cause })
  else log.error(record === undefined ? 'a request failed' : 'an operation failed', { cause })
}

/** One request in progress. */
interface Exchange {
  readonly request: Request
  /** The own end of its connection, if that is known. */
  readonly end: OwnEnd | undefined
  readonly url: URL
  /** HEAD is answered as GET without a body. */
  readonly method: string
  readonly trace: Trace
  readonly log: Log
  readonly signal: AbortSignal
  /** Set if the caller accepts event streams. */
  readonly stream: StreamedAnswer | undefined
  /** Whether the operation streams and its caller accepts that. */
  isStreaming: boolean
  /** The addresses of inner approvals, by token; set by `call`. */
  readonly innerApprovals: Map<string, string>
  /** Set after the operation is found. */
  record: RequestRecord | undefined
}
