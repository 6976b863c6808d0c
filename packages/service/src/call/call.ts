import { compareTrace, headers, type Outcome, outcomes, readOutcome, type Trace } from '@agentic-rest/profile'
import { writeVia } from '../http/via.ts'
import type { Log } from '../log.ts'
import { fillTemplate, type Method } from '../path-template.ts'
import { invalidAt, type RefusalCode, refusal } from '../refusals.ts'
import { type CallStream, createCallStream, type PreparedCall } from './call-stream.ts'
import type { CallIdentity } from './identity.ts'
import { type ReceivedAnswer, type Sent, sendRequest } from './send-request.ts'

/** The value of a query parameter. A list is sent as a repeated parameter. */
export type QueryValue = string | number | boolean | readonly (string | number | boolean)[] | undefined

/** A request to another agent. */
export interface CallRequest {
  readonly baseUrl: string
  readonly method: Method
  /** A template such as `/inventory/{productId}/stock`. */
  readonly path: string
  readonly params?: Readonly<Record<string, string | number>>
  readonly query?: Readonly<Record<string, QueryValue>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Overrides the identity of the service. */
  readonly identity?: CallIdentity
  readonly timeoutSeconds?: number
  /** The public address of the other agent. Without it, answers lose the `Location` of approvals and the host of `statusUrl`. */
  readonly publicUrl?: string
}

/** Calls another agent. */
export interface Call {
  <SuccessBody = unknown, CreatedBody = SuccessBody>(
    request: CallRequest,
  ): Promise<Outcome<SuccessBody, CreatedBody>>
  /** Calls another agent and iterates over the events of its stream. The request is sent when the iteration begins. */
  stream<SuccessBody = unknown, CreatedBody = SuccessBody>(
    request: CallRequest,
  ): CallStream<Outcome<SuccessBody, CreatedBody>>
}

/** The options of all calls of a service. */
export interface CallOptions {
  readonly fetch: typeof fetch
  readonly identity: CallIdentity | undefined
  readonly timeoutSeconds: number
  readonly maxResponseBytes: number
  readonly observer: CallObserver | undefined
}

/** The request that makes the calls. Its values are forwarded unchanged. */
export interface CallScope {
  readonly operation: string
  readonly tenant: string
  readonly trace: Trace
  readonly idempotencyKey: string | undefined
  readonly authorization: string | undefined
  readonly traceparent: string | undefined
  readonly signal: AbortSignal
  readonly log: Log
  /** The calls that led here, with the one of this request as the last. */
  readonly via: readonly string[]
  /** The approval tokens of the request, without the one for this service. */
  forwardedApproval(): string | undefined
  /** Called when an inner agent requires an approval, with its address. */
  approvalWanted(token: string, location: string): void
}

/** Creates the `call` of one request. */
export function createCall(options: CallOptions, scope: CallScope): Call {
  const observe = (request: CallRequest, outcome: Outcome): Outcome => {
    const { operation, trace } = scope
    const { method, path } = request
    return options.observer?.called({ operation, trace, method, path, outcome }) ?? outcome
  }
  const call = async (request: CallRequest): Promise<Outcome> => {
    const prepared = await prepareCall(options, scope, request)
    if (!prepared.ok) return observe(request, prepared.outcome)
    return observe(request, prepared.finish(await sendRequest(prepared.outgoing)))
  }
  const stream = (request: CallRequest): CallStream =>
    createCallStream({
      prepare: () => prepareCall(options, scope, request),
      observe: (outcome) => observe(request, outcome),
    })
  // The type of the bodies is the caller's choice: the profile does not define them.
  return Object.assign(call, { stream }) as Call
}

/** Prepares a call: its address, its identity and its ids. */
async function prepareCall(
  options: CallOptions,
  scope: CallScope,
  request: CallRequest,
): Promise<PreparedCall> {
  const filled = fillTemplate(request.path, request.params ?? {})
  if (!filled.ok)
    return { ok: false, outcome: invalidAt(filled.parameter, 'The value cannot be used in a path.') }
  const identity = request.identity ?? options.identity
  const authorization = await authorize(identity, scope)
  if (authorization === 'failed') return { ok: false, outcome: refusal('DEPENDENCY_IDENTITY_UNAVAILABLE') }
  // Each hop has its own request id; the correlation id is the same on all hops.
  const trace = { correlationId: scope.trace.correlationId, requestId: crypto.randomUUID() }
  const outgoing = {
    ...request,
    url: urlOf(request, filled.path),
    headers: callHeaders(request, scope, { authorization: authorization?.value, trace }),
    fetch: options.fetch,
    timeoutMs: 1000 * (request.timeoutSeconds ?? options.timeoutSeconds),
    maxResponseBytes: options.maxResponseBytes,
    signal: scope.signal,
  }
  const finish = (answer: Sent): Outcome => {
    if (!answer.ok) return failed(scope, request, answer)
    const outcome = readAnswer(answer.value, trace)
    if (outcome === undefined)
      return failed(scope, request, { code: 'DEPENDENCY_INVALID_RESPONSE', cause: undefined })
    if (isRefusedIdentity(outcome) && authorization !== undefined) identity?.refused?.(authorization.value)
    return withAddresses(outcome, { request, scope, answer: answer.value })
  }
  return { ok: true, outgoing, finish }
}

async function authorize(
  identity: CallIdentity | undefined,
  { authorization, log }: CallScope,
): Promise<{ readonly value: string } | undefined | 'failed'> {
  if (identity === undefined) return undefined
  try {
    return { value: await identity.authorization({ authorization }) }
  } catch (cause) {
    log.warn('no identity for a call to another agent', { cause })
    return 'failed'
  }
}

function urlOf({ baseUrl, query = {} }: CallRequest, path: string): string {
  const url = new URL(baseUrl.replace(/\/+$/, '') + path)
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) if (one !== undefined) url.searchParams.append(name, String(one))
  }
  return url.href
}

function callHeaders(
  { headers: own = {}, body }: CallRequest,
  scope: CallScope,
  { authorization, trace }: { authorization: string | undefined; trace: Trace },
): Headers {
  const all = new Headers(own)
  const ours = {
    [headers.tenantId]: scope.tenant,
    [headers.correlationId]: trace.correlationId,
    [headers.requestId]: trace.requestId,
    [headers.idempotencyKey]: scope.idempotencyKey,
    [headers.approvalToken]: scope.forwardedApproval(),
    [headers.traceparent]: scope.traceparent,
    [headers.via]: writeVia(scope.via),
    [headers.authorization]: authorization,
    [headers.contentType]: body === undefined ? undefined : 'application/json',
  }
  // Set last, so that headers of the operation cannot replace the request context (Authentication, 5).
  for (const [name, value] of Object.entries(ours)) if (value !== undefined) all.set(name, value)
  return all
}

function readAnswer(answer: ReceivedAnswer, sent: Trace): Outcome | undefined {
  const reading = readOutcome(answer)
  if (!reading.ok) return undefined
  const typed = outcomes[reading.outcome.type].schema !== null
  return typed && compareTrace(reading.trace, sent) !== 'match' ? undefined : reading.outcome
}

function isRefusedIdentity(outcome: Outcome): boolean {
  return outcome.type === 'error' && outcome.condition === 'unauthenticated'
}

interface Answered {
  readonly request: CallRequest
  readonly scope: CallScope
  readonly answer: ReceivedAnswer
}

/**
 * Addresses in an inner answer are relative to the inner agent. With a public URL they become absolute. Without one only
 * the path is kept, because the outcome may become the answer, which must not reveal internal hosts.
 */
function withAddresses(outcome: Outcome, { request, scope, answer }: Answered): Outcome {
  const { publicUrl } = request
  if (outcome.type === 'approval_required' && publicUrl !== undefined) {
    const location = URL.parse(answer.headers.get('location') ?? '', publicUrl)
    if (answer.headers.has('location') && location !== null)
      scope.approvalWanted(outcome.approvalToken, location.href)
  }
  if (outcome.type !== 'accepted') return outcome
  const statusUrl = URL.parse(outcome.statusUrl, publicUrl ?? request.baseUrl)
  if (statusUrl === null) return outcome
  const { href, pathname, search } = statusUrl
  return { ...outcome, statusUrl: publicUrl === undefined ? pathname + search : href }
}

function failed(
  { log }: CallScope,
  { baseUrl, method, path }: CallRequest,
  { code, cause }: { readonly code: RefusalCode; readonly cause: unknown },
): Outcome {
  log.warn('a call to another agent failed', { code, baseUrl, method, path, cause })
  return refusal(code) as Outcome
}

/** A call of another agent and its outcome. */
export interface ObservedCall {
  /** The id of the operation that made the call. */
  readonly operation: string
  /** The trace of the request that made the call. */
  readonly trace: Trace
  readonly method: string
  readonly path: string
  readonly outcome: Outcome
}

/** Observes calls and answers. Tests use it to find swallowed outcomes. */
export interface CallObserver {
  /** Gets an inner outcome and returns the outcome for the operation. */
  called(call: ObservedCall): Outcome
  /** Gets the answer of a request, with or without calls. */
  answered(trace: Trace, outcome: Outcome): void
}
