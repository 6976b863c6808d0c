import {
  type AuditEmitter,
  headers,
  type Outcome,
  type Trace,
  type WrittenOutcome,
} from '@agentic-rest/profile'
import { type Answer, toResponse, writeAnswer } from './answer.ts'
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
import { DOCUMENT_PATH } from './openapi/document.ts'
import { perform, scopeOf } from './perform.ts'
import { refusal } from './refusals.ts'
import { makeContext } from './run-context.ts'
import type { Job, Scope } from './runtime/contract.ts'
import { StoreUnavailableError } from './runtime/store.ts'
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
}

/** Handles a request. This is the only place that catches errors. */
export async function handleRequest(
  parts: ServiceParts,
  request: Request,
  end: OwnEnd | undefined,
): Promise<Response> {
  const opened = openTrace(request)
  const exchange = openExchange(parts, { request, end }, opened.trace)
  let answer: Answer
  let written: WrittenOutcome
  try {
    answer = opened.ok ? await answerRequest(parts, exchange) : opened.answer
    written = writeAnswer(withLocation(answer, exchange, parts.publicPath), exchange.trace)
  } catch (cause) {
    logFailure(exchange, cause)
    answer = { outcome: failureOf(cause), headers: {} }
    written = writeAnswer(answer, exchange.trace)
  }
  exchange.record?.write(eventTypes.written, answer.outcome)
  parts.callOptions.observer?.answered(exchange.trace, answer.outcome)
  return toResponse(written, request.method)
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
  const { trace, log, signal, innerApprovals, record } = exchange
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
  { log, inFlight }: ServiceParts,
  { request, end }: Pick<Exchange, 'request' | 'end'>,
  trace: Exchange['trace'],
): Exchange {
  return {
    request,
    end,
    url: new URL(request.url),
    method: request.method === 'HEAD' ? 'GET' : request.method,
    trace,
    log: withFields(log, trace as unknown as Record<string, unknown>),
    signal: AbortSignal.any([request.signal, inFlight.signal]),
    innerApprovals: new Map(),
    record: undefined,
  }
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
  return location === undefined ? answer : { outcome, headers: { ...own, location } }
}

/** An unavailable store is a failed dependency; every other error is a fault. */
function failureOf(cause: unknown): Outcome {
  return refusal(cause instanceof StoreUnavailableError ? 'STORE_UNAVAILABLE' : 'INTERNAL_ERROR')
}

function logFailure({ request, log, record }: Exchange, cause: unknown): void {
  if (request.signal.aborted) log.info('the caller left before the answer', { cause })
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
  /** The addresses of inner approvals, by token; set by `call`. */
  readonly innerApprovals: Map<string, string>
  /** Set after the operation is found. */
  record: RequestRecord | undefined
}
