import { once } from 'node:events'
import { connect } from 'node:net'
import { eventually } from '@agentic-rest/testing/eventually'
import { printedSeed, type Random, seededRandom } from '@agentic-rest/testing/seeded-random'
import { headerValues, sendRequest } from '@agentic-rest/testing/send-request'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, type ReceivedRequest, startUpstream } from '@agentic-rest/testing/start-upstream'
import { untilRead } from '@agentic-rest/testing/until-read'
import { expect, it } from 'vitest'
import { canonicalTarget } from '../src/listen/canonical-path.ts'
import { parseResponse } from './harness/raw-client.ts'

const host = 'Host: gateway\r\nX-Tenant-ID: acme\r\n'
const good = [
  `GET /items/1?a=1 HTTP/1.1\r\n${host}Accept: application/json\r\n\r\n`,
  `GET /items/%C3%A9 HTTP/1.1\r\n${host}X-Correlation-ID: c\r\nX-Request-ID: r\r\n\r\n`,
  `POST /items HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 11\r\n\r\n{"a":"b\\n"}`,
  `POST /items HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nX-Late: 1\r\n\r\n`,
  `POST /items HTTP/1.1\r\n${host}Expect: 100-continue\r\nIdempotency-Key: k\r\nContent-Length: 2\r\n\r\n{}`,
  `HEAD /items/1 HTTP/1.1\r\n${host}Connection: keep-alive, X-Tenant-ID\r\n\r\n`,
  `OPTIONS /items HTTP/1.1\r\n${host}Origin: https://app.example\r\nAccess-Control-Request-Method: POST\r\n\r\n`,
  `GET http://gateway/items/1 HTTP/1.1\r\n${host}Upgrade: websocket\r\nConnection: upgrade\r\n\r\n`,
  'GET /metrics HTTP/1.1\r\nHost: gateway\r\n\r\n',
  `CONNECT gateway:80 HTTP/1.1\r\n${host}\r\n`,
]
const pieces = [
  ...[
    '\r',
    '\n',
    '\r\n',
    '\r\n\r\n',
    '\0',
    ' ',
    '\t',
    ':',
    '/',
    '//',
    '/../',
    '%2e%2e',
    '%2f',
    '%00',
    '#',
    '?',
    '*',
  ],
  ...[
    'Content-Length: 5\r\n',
    'Content-Length: 0\r\n',
    'Transfer-Encoding: chunked\r\n',
    'Transfer-Encoding: gzip\r\n',
  ],
  ...[
    'X-Tenant-ID: globex\r\n',
    'X_Tenant_ID: evil\r\n',
    'Connection: close\r\n',
    'Expect: 100-continue\r\n',
  ],
  ...[
    'HTTP/1.1',
    'HTTP/1.0',
    'HTTP/2.0',
    '__proto__: x\r\n',
    '\xff\xfe',
    '0\r\n\r\n',
    'ffffffff\r\n',
    ';',
    ',',
    '-1',
  ],
]

const PROBE = '/items/probe'
const BATCHES = 80
const BATCH_SIZE = 24

const below = (random: Random, count: number) => Math.floor(random() * count)
const pick = <T>(random: Random, list: readonly T[]): T => list[below(random, list.length)] as T

/** One change of a text at a random place. */
function mutate(text: string, random: Random): string {
  const at = below(random, text.length + 1)
  const end = Math.min(text.length, at + below(random, 20))
  const changes = [
    () => text.slice(0, at) + pick(random, pieces) + text.slice(at),
    () => text.slice(0, at) + String.fromCharCode(below(random, 256)) + text.slice(at + 1),
    () => text.slice(0, at) + text.slice(end),
    () => text.slice(0, end) + text.slice(at),
    () => text.slice(0, at) + pick(random, good).slice(at),
    () => text + pick(random, good),
    () => text.slice(0, at),
  ]
  return pick(random, changes)()
}

function hostileBytes(random: Random): Buffer {
  if (random() < 0.1) return Buffer.from(Array.from({ length: below(random, 300) }, () => below(random, 256)))
  let text = pick(random, good)
  for (let count = below(random, 5); count > 0; count -= 1) text = mutate(text, random)
  return Buffer.from(text, 'latin1')
}

/** Sends each in two parts on a connection of its own, ends when both are read, and returns everything that came back. */
async function sendAll(port: number, batch: readonly Buffer[], random: Random): Promise<string[]> {
  const clients = await Promise.all(
    batch.map((bytes) => openClient(port, bytes, below(random, bytes.length))),
  )
  for (const client of clients) client.sendFirst()
  await untilRead(port)
  for (const client of clients) client.sendSecond()
  // Time for answers of the upstream: a request that was forwarded before goes the same way.
  expect((await sendRequest(`http://127.0.0.1:${port}${PROBE}`)).status).toBe(200)
  return await Promise.all(clients.map((client) => client.end()))
}

async function openClient(port: number, bytes: Buffer, at: number) {
  const socket = connect(port, '127.0.0.1').setNoDelay(true)
  let received = ''
  socket.on('data', (data) => {
    received += data.toString('latin1')
  })
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return {
    sendFirst: () => socket.write(bytes.subarray(0, at)),
    sendSecond: () => socket.write(bytes.subarray(at)),
    async end() {
      socket.end()
      if (!socket.closed) await once(socket, 'close')
      return received
    },
  }
}

const expected = new Set([100, 200, 204, 400, 403, 404, 405, 413, 414, 422, 431])

/** The statuses of everything that came back; bare answers apart, each names the profile once. */
function checkAnswers(received: string): number[] {
  return received
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((text) => text !== '')
    .map((text) => {
      const answer = parseResponse(text)
      if (!expected.has(answer.status)) throw new Error(`an answer that may not be: ${text}`)
      if (answer.status !== 100 && answer.headers['content-type'] !== undefined)
        expect(headerValues(answer, 'x-agentic-profile')).toEqual(['v0.3'])
      return answer.status
    })
}

const single = ['host', 'x-tenant-id', 'x-correlation-id', 'x-request-id', 'traceparent', 'x-forwarded-for']

/** What the upstream saw is a request that the gateway made, not bytes of the client. */
function checkForwarded(request: ReceivedRequest): void {
  expect(['GET', 'HEAD', 'POST']).toContain(request.method)
  const target = canonicalTarget(request.url, undefined)
  expect(target).toMatchObject({ ok: true })
  if (target.ok) expect(target.path + target.query).toBe(request.url)
  for (const name of single) expect(headerValues(request, name), name).toHaveLength(1)
  for (const name of ['upgrade', 'trailer', 'expect', 'te', 'x_tenant_id'])
    expect(headerValues(request, name), name).toEqual([])
  const framing = [...headerValues(request, 'content-length'), ...headerValues(request, 'transfer-encoding')]
  expect(framing.length).toBeLessThanOrEqual(1)
  // Whatever follows the answer to a HEAD must not be read as the next answer.
  expect(headerValues(request, 'connection')).toEqual([request.method === 'HEAD' ? 'close' : 'keep-alive'])
}

it('no bytes crash the gateway, make it fail, or reach the upstream unparsed', async () => {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: { ok: true } }))
  const unreadable: string[] = []
  upstream.server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket) => {
    // A request that the gateway broke off is one thing, bytes that are no request another.
    if (code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE') unreadable.push(code)
    socket.destroy()
  })
  const { port, log, gateway } = await startGateway({
    gateway: {
      cors: { origins: ['https://app.example'] },
      limits: { max_header_bytes: 4096, max_headers: 30 },
    },
    routes: [
      { id: 'item', method: 'GET', path: '/items/{id}', target: upstream.url },
      { id: 'write', method: 'POST', path: '/items', target: upstream.url },
    ],
  })
  const random = seededRandom(printedSeed('hostile bytes'))
  const seen = new Map<number, number>()
  for (let count = 0; count < BATCHES; count += 1) {
    const batch = Array.from({ length: BATCH_SIZE }, () => hostileBytes(random))
    const answers = await sendAll(port, batch, random)
    for (const [index, received] of answers.entries()) {
      try {
        for (const status of checkAnswers(received)) seen.set(status, (seen.get(status) ?? 0) + 1)
      } catch (cause) {
        throw new Error(`sent: ${JSON.stringify(batch[index]?.toString('latin1'))}`, { cause })
      }
    }
  }
  const forwarded = upstream.requests.filter(({ url }) => url !== PROBE)
  for (const request of forwarded) checkForwarded(request)
  expect(unreadable).toEqual([])
  expect(log.filter(({ level }) => level === 'error')).toEqual([])
  // The sample is worth something: it was served, refused and not understood many times.
  for (const status of [200, 400, 404, 422]) expect(seen.get(status) ?? 0, `${status}`).toBeGreaterThan(0)
  expect(forwarded.length).toBeGreaterThan(50)
  // That a client has gone is seen a moment later on the other side.
  const { text } = await eventually(
    () => gateway.metrics.expose(),
    (scrape) => /^agentic_gateway_requests_in_flight 0$/m.test(scrape.text),
  )
  // Some counters are there from the start, with 0.
  expect(text).not.toMatch(/outcome="(error|unavailable|untyped_5xx|failed_dependency)"[^}]*\} [1-9]/)
})
