import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { type Outcome, readTrace, type Trace, writeOutcome } from '@agentic-rest/profile'
import { openServer } from '@agentic-rest/testing/open-server'
import { createMemory, type Memory } from './wrong-service/memory.ts'
import { countRequest, metricsText } from './wrong-service/metrics-text.ts'
import { type Place, routes } from './wrong-service/routes.ts'
import { sendStream } from './wrong-service/streams.ts'

/** An answer that can still be changed. */
export interface Reply {
  status: number
  headers: Record<string, string>
  // biome-ignore lint/suspicious/noExplicitAny: a violation may do anything to it
  body: any
}

/** Violations that need more than a change of one answer. */
export type Misbehaviour =
  | 'accepts-no-token'
  | 'accepts-any-token'
  | 'accepts-any-tenant'
  | 'odd-correlation-ids'
  | 'odd-request-ids'
  | 'one-request-id'
  | 'all-ids-new'
  | 'stream-buffered'
  | 'stream-for-all'
  | 'no-limit'
  | 'limit-for-all-tenants'
  | 'slots-kept'
  | 'limit-too-low'
  | 'deadline-at-once'
  | 'deadline-late'
  | 'retry-again'
  | 'retry-other-body'
  | 'retry-conflicts'
  | 'retry-unmarked'
  | 'key-for-any-request'
  | 'hop-without-key'
  | 'hop-other-tenant'
  | 'hop-other-correlation'
  | 'html-for-browsers'
  | 'accepts-forged-token'
  | 'fails-without-token'
  | 'stream-buffered-after-comment'
  | 'html-without-stream'
  | 'counts-nothing'
  | 'counts-as-error'
  | 'counts-for-nobody'
  | 'empty-ids-of-refusals'
  | 'forbids-everybody'
  | 'forwards-every-header'
  | 'forwards-odd-spellings'
  | 'refuses-forged-headers'
  | 'resets-when-unreachable'
  | 'odd-correlation-ids-of-refusals'

/** The violations of a service. */
export interface Wrongs {
  readonly misbehaves?: Misbehaviour | undefined
  readonly at?: Place | undefined
  change?(reply: Reply): void
}

/** One request for the routes. */
export interface Call {
  readonly request: IncomingMessage
  readonly body: string
  readonly tenant: string
  readonly trace: Trace
  readonly memory: Memory
  does(misbehaviour: Misbehaviour): boolean
}

/** The running service. */
export interface WrongService {
  readonly url: string
  close(): Promise<void>
}

/** A gateway and services in one process that follow the profile, except for the given violations. */
export async function startWrongService(wrongs: Wrongs = {}): Promise<WrongService> {
  const memory = createMemory()
  return await openServer((request, response) => void answer({ request, response, memory, wrongs }))
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly memory: Memory
  readonly wrongs: Wrongs
}

const tenants = new Map([
  ['Bearer token-of-alice', 'acme'],
  ['Bearer token-of-bob', 'acme'],
  ['Bearer token-of-carol', 'globex'],
])

async function answer({ request, response, memory, wrongs }: Exchange): Promise<void> {
  const does = (misbehaviour: Misbehaviour) => wrongs.misbehaves === misbehaviour
  const trace = idsOf(request, memory, does)
  const body = await text(request)
  if (request.url === '/metrics') return write(response, spoil(wrongs, 'metrics', metricsText({ memory })))
  if (request.headers.authorization === undefined && does('fails-without-token'))
    return write(response, { status: 500, headers: { 'content-type': 'text/plain' }, body: 'at main.js:1' })
  const tenant = authenticate(request, does)
  if (typeof tenant !== 'string')
    return write(response, spoil(wrongs, 'refusal', refuse(tenant, trace, { request, does })))
  const call: Call = { request, body, tenant, trace, memory, does }
  const [place, route] = routes.get(`${request.method} ${request.url?.replace(/\?.*/, '')}`) ?? []
  if (place === undefined || route === undefined) return write(response, reply(unknown, trace))
  if (place === 'stream' && request.headers.accept !== 'text/event-stream' && does('html-without-stream'))
    return write(response, { status: 404, headers: { 'content-type': 'text/html' }, body: '<h1>No</h1>' })
  if (does('html-for-browsers') && request.headers.accept === 'text/html')
    return write(response, { status: 400, headers: { 'content-type': 'text/html' }, body: '<h1>Goal?</h1>' })
  const outcome = await route(call)
  countRequest(call, outcome === 'stream' ? 'success' : outcome.type)
  // Only a refusal is spoilt there, not the answer to an admitted caller.
  const at = place === 'forbidden' && outcome !== 'stream' && outcome.type !== 'forbidden' ? 'list' : place
  if (outcome !== 'stream') return write(response, spoil(wrongs, at, marked(reply(outcome, trace), call)))
  await sendStream(response, { ...call, spoil: (head) => spoil(wrongs, place, head) })
}

const unknown: Outcome = {
  type: 'error',
  condition: 'not_found',
  code: 'ROUTE_NOT_FOUND',
  message: 'No route.',
}

function authenticate(request: IncomingMessage, does: Call['does']): string | Outcome {
  const { authorization = '', 'x-tenant-id': wanted } = request.headers
  const forbidden = (code: string): Outcome => ({ type: 'forbidden', code, message: 'Not for you.' })
  if (authorization === '' && !does('accepts-no-token'))
    return { type: 'error', condition: 'unauthenticated', code: 'MISSING_TOKEN', message: 'No token.' }
  const claims = does('accepts-forged-token') ? authorization.replace(/\.A+$/, '') : authorization
  const tenant = tenants.get(claims)
  if (tenant === undefined && authorization !== '' && !does('accepts-any-token'))
    return { type: 'error', condition: 'unauthenticated', code: 'INVALID_TOKEN', message: 'A false token.' }
  if (tenant !== undefined && wanted !== tenant && !does('accepts-any-tenant'))
    return forbidden('TENANT_MISMATCH')
  return String(wanted)
}

function idsOf(request: IncomingMessage, memory: Memory, does: Call['does']): Trace {
  const sent = readTrace(request.headers)
  const isIncomplete = sent.correlationId === undefined || sent.requestId === undefined
  if (isIncomplete && does('all-ids-new'))
    return { correlationId: crypto.randomUUID(), requestId: crypto.randomUUID() }
  return {
    correlationId:
      sent.correlationId ?? (does('odd-correlation-ids') ? `corr-${memory.next()}` : crypto.randomUUID()),
    requestId: sent.requestId ?? newRequestId(memory, does),
  }
}

/** A refusal. A wrong gateway only copies ids into it that the request has. */
function refuse(outcome: Outcome, trace: Trace, { request, does }: Pick<Call, 'request' | 'does'>): Reply {
  const refused = reply(outcome, trace)
  const { correlationId = '', requestId = '' } = readTrace(request.headers)
  if (does('empty-ids-of-refusals')) refused.body.trace = { correlationId, requestId }
  if (does('odd-correlation-ids-of-refusals')) refused.body.trace.correlationId = correlationId || 'none'
  return refused
}

function newRequestId(memory: Memory, does: Call['does']): string {
  if (does('odd-request-ids')) return `req-${memory.next()}`
  return does('one-request-id') ? '7b0cbd0c-26d9-4a0e-9dd1-5f3a7a1c8f11' : crypto.randomUUID()
}

function reply(outcome: Outcome, trace: Trace): Reply {
  const { status, headers, body } = writeOutcome(outcome, trace)
  return { status, headers: { ...headers }, body: JSON.parse(body) }
}

/** A stored outcome says that it is one. */
function marked(right: Reply, { memory, trace, does }: Call): Reply {
  if (memory.replays.has(trace.requestId) && !does('retry-unmarked'))
    right.headers['Idempotency-Replayed'] = 'true'
  return right
}

function spoil({ at, change }: Wrongs, place: Place, right: Reply): Reply {
  if (at === place) change?.(right)
  return right
}

function write(response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))
}
