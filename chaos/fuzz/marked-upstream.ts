import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { outcomes, writeOutcome } from '@agentic-rest/profile'
import { canonicalTarget } from '../../packages/gateway/src/listen/canonical-path.ts'
import type { Identities } from './identities.ts'

/** The header that marks answers of the upstream, with the id of their request. */
export const UPSTREAM_MARK = 'x-upstream'

/** An upstream that marks its answers and checks its requests. */
export interface MarkedUpstream {
  readonly url: string
  readonly requests: number
  /** Requests that must not be forwarded, by reason; the first few of each. */
  readonly faults: ReadonlyMap<string, string[]>
  readonly faultCount: number
  close(): Promise<void>
}

const KEPT_PER_REASON = 3

/** Starts the upstream. `identities` has the valid tokens. */
export async function startMarkedUpstream(identities: Identities): Promise<MarkedUpstream> {
  let [requests, faultCount] = [0, 0]
  const faults = new Map<string, string[]>()
  const blame = (reason: string, what: string) => {
    faultCount += 1
    const kept = faults.get(reason) ?? []
    faults.set(reason, kept)
    if (kept.length < KEPT_PER_REASON) kept.push(what)
  }
  const server = createServer({ keepAliveTimeout: 60_000, maxHeaderSize: 65_536 }, (request, response) => {
    requests += 1
    for (const reason of faultsOf(request, identities)) blame(reason, describe(request))
    request.on('error', () => undefined)
    if (request.url?.startsWith('/early')) answer(request, response)
    else request.resume().once('end', () => answer(request, response))
  })
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket) => {
    // Requests aborted by the gateway are allowed; bytes that are no request are not.
    if (code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE') blame('is no HTTP', code)
    socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get requests() {
      return requests
    },
    faults,
    get faultCount() {
      return faultCount
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function describe({ method, url, rawHeaders }: IncomingMessage): string {
  return JSON.stringify([method, url, ...rawHeaders])
}

const methods = new Set(['GET', 'HEAD', 'POST', 'DELETE'])
const single = ['host', 'x-tenant-id', 'x-correlation-id', 'x-request-id', 'traceparent', 'x-forwarded-for']
const never = ['upgrade', 'trailer', 'expect', 'te', 'proxy-authorization', 'forwarded', 'tracestate']

/** The fault of a forwarded request: it must be written by the gateway, not copied from the client. */
function* faultsOf(request: IncomingMessage, identities: Identities): Generator<string> {
  const { method = '', url = '', rawHeaders, headers } = request
  if (!methods.has(method)) yield 'a method that no route has'
  const target = canonicalTarget(url, undefined)
  if (!target.ok || target.path + target.query !== url) yield 'a target that is not canonical'
  const counts = countNames(rawHeaders)
  for (const name of single) if (counts.get(name) !== 1) yield `${name} is not there once`
  for (const name of never) if (counts.has(name)) yield `${name} is there`
  if ((counts.get('content-length') ?? 0) + (counts.get('transfer-encoding') ?? 0) > 1) yield 'framed twice'
  if (!identities.vouchFor(headers)) yield 'let in without a good token'
}

/** By normalised name: some servers read `X_Tenant_ID` as the tenant header. */
function countNames(rawHeaders: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase().replaceAll(/[^a-z0-9]/g, '-')
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}

function answer({ url = '', headers, method }: IncomingMessage, response: ServerResponse): void {
  const requestId = String(headers['x-request-id'])
  const trace = { correlationId: String(headers['x-correlation-id']), requestId }
  response.setHeader(UPSTREAM_MARK, requestId)
  if (url.startsWith('/typed')) sendTyped(response, writeOutcome(question, trace))
  else if (url.startsWith('/broken')) sendTyped(response, writeOutcome(broken, trace))
  else if (url.startsWith('/events')) sendEvents(response)
  else sendPlain(response, url, method)
}

function sendPlain(response: ServerResponse, url: string, method: string | undefined): void {
  const status = method === 'POST' ? outcomes.created.status : outcomes.success.status
  response.writeHead(status, { 'content-type': outcomes.success.mediaType })
  // Written in parts, the answer has no length.
  if (url.startsWith('/items/chunked')) response.write('{"parts":')
  response.end(url.startsWith('/items/chunked') ? '2}' : '{"ok":true}')
}

const question = {
  type: 'clarification_required',
  message: 'A goal is needed.',
  requiredInputs: [
    { name: 'goal', location: 'body', type: 'string', required: true, question: 'Which goal?' },
  ],
} as const
const broken = { type: 'error', code: 'BROKEN', message: 'This service is broken on purpose.' } as const

function sendTyped(
  response: ServerResponse,
  { status, headers, body }: ReturnType<typeof writeOutcome>,
): void {
  response.writeHead(status, headers).end(body)
}

function sendEvents(response: ServerResponse): void {
  response.writeHead(outcomes.success.status, { 'content-type': 'text/event-stream' })
  response.write('data: 1\n\n')
  setImmediate(() => response.end('data: 2\n\n'))
}
