import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished, vi } from 'vitest'
import type { WebhookOptions } from '../../src/config/config-schema.ts'

/** The longest timeout that the configuration allows: a busy machine is no failure. */
const LONGEST_MS = 60_000

/** The reaction of the server to one call. */
export type Treatment = (request: IncomingMessage, response: ServerResponse) => void

/** A real directory or licence server that can be slow, wrong or dead. */
export interface LookupServer {
  readonly origin: string
  /** The request targets exactly as sent. */
  readonly calls: readonly string[]
  /** The head of each call. */
  readonly heads: readonly IncomingMessage['headers'][]
  /** Sets the reaction to further calls. */
  treat(treatment: Treatment): void
  /** Resolves after this many calls. */
  called(count: number): Promise<void>
  close(): Promise<void>
}

/** Starts a server on a free port. */
export async function startLookupServer(first: Treatment = answering(404)): Promise<LookupServer> {
  const calls: string[] = []
  const heads: IncomingMessage['headers'][] = []
  let treatment = first
  const server = createServer((request, response) => {
    calls.push(request.url ?? '')
    heads.push(request.headers)
    server.emit('called')
    treatment(request, response)
  })
  await listening(server)
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    calls,
    heads,
    treat: (next) => {
      treatment = next
    },
    called: async (count) => {
      while (calls.length < count) await once(server, 'called')
    },
    close: async () => {
      server.closeAllConnections()
      if (server.listening) await new Promise((done) => server.close(done))
    },
  }
}

async function listening(server: Server): Promise<void> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
}

/** Answers at once; an object is sent as JSON. */
export function answering(
  status: number,
  content: unknown = '',
  headers: Record<string, string> = {},
): Treatment {
  const body = typeof content === 'string' ? content : JSON.stringify(content)
  return (_request, response) => response.writeHead(status, headers).end(body)
}

/** Keeps every call open; `release` answers all of them. */
export function holding(): { readonly treatment: Treatment; release(answer: Treatment): void } {
  const held: [IncomingMessage, ServerResponse][] = []
  return {
    treatment: (request, response) => held.push([request, response]),
    release: (answer) => {
      for (const [request, response] of held.splice(0)) answer(request, response)
    },
  }
}

/** Options of a webhook at `url`: the defaults of the configuration, with a longer timeout for a busy machine. */
export function webhookAt(url: string, overrides: Partial<WebhookOptions> = {}): WebhookOptions {
  return {
    url,
    timeout_ms: LONGEST_MS,
    cache_ttl_seconds: 300,
    negative_ttl_seconds: 30,
    cache_max_entries: 10_000,
    headers: {},
    headers_files: {},
    ...overrides,
  }
}

/** All breaches of the contract of the server, by name. */
export const brokenTreatments: readonly (readonly [string, Treatment])[] = [
  ['status 500', answering(500, { tenant_id: 'acme' })],
  ['status 401', answering(401)],
  ['status 204', answering(204)],
  ['status 201', answering(201, { tenant_id: 'acme' })],
  ['10 MB', (_request, response) => response.writeHead(200).end(Buffer.alloc(10_000_000, 'x'))],
  ['one byte more than 64 KiB', answering(200, JSON.stringify({ tenant_id: 'acme' }).padEnd(65_537, ' '))],
  ['silence', silence],
  ['a head without its body', headOnly],
  ['a drip', drip],
  ['a reset', (request) => request.socket.resetAndDestroy()],
  ['a short body', shortBody],
  ['something that is not HTTP', (request) => request.socket.end('SSH-2.0-OpenSSH\r\n')],
]

/** The timeout for such a call: short only where nothing else ends the call. */
export function timeFor(treatment: Treatment): Pick<WebhookOptions, 'timeout_ms'> {
  return { timeout_ms: [silence, headOnly, drip].includes(treatment) ? 500 : LONGEST_MS }
}

/** From here on no call of the test times out, however busy the machine is. Returns the timeouts that calls ask for. */
export function stopTimeouts(): readonly number[] {
  const asked: number[] = []
  const timeouts = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    asked.push(ms)
    return new AbortController().signal
  })
  onTestFinished(() => timeouts.mockRestore())
  return asked
}

function silence(): void {}

function headOnly(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200).write('{"tenant_id"')
}

/** One byte every few milliseconds: no pause exceeds the timeout, but the whole answer does. */
function drip(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200)
  const timer = setInterval(() => response.write(' '), 10)
  response.once('close', () => clearInterval(timer))
}

function shortBody(request: IncomingMessage): void {
  request.socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"tenant_id":"acme"}')
}
