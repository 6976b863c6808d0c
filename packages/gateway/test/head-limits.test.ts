import { once } from 'node:events'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { untilRead } from '@agentic-rest/testing/until-read'
import { describe, expect, it } from 'vitest'
import { expectBare, expectRefusal } from './harness/expect-outcome.ts'
import { openSocket, parseResponse, sendRaw } from './harness/raw-client.ts'
import { openConnection } from './harness/raw-connection.ts'

async function start(limits: Record<string, number> = {}) {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: { ok: true } }))
  const { port } = await startGateway({
    gateway: { limits },
    routes: [{ id: 'r', method: 'GET', path: '/r', target: upstream.url }],
  })
  return { upstream, port }
}

const head = (lines: readonly string[]) =>
  `GET /r HTTP/1.1\r\nHost: gateway\r\nX-Tenant-ID: acme\r\nConnection: close\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`

const keptHead = head([]).replace('Connection: close\r\n', '')

/** Writes parts so that each of them is a packet of its own. */
async function sendParts(port: number, parts: readonly string[]): Promise<string> {
  const { socket, send, closed } = await openConnection(port)
  socket.setNoDelay(true)
  for (const part of parts) {
    send(part)
    await untilRead(port)
  }
  return await closed()
}

describe('the size of a head', () => {
  it('is bound by max_header_bytes: one more header line is a bare 431', async () => {
    const { port, upstream } = await start({ max_header_bytes: 2048 })
    const fits = parseResponse(await sendRaw(port, head([`X-Long: ${'a'.repeat(1800)}`])))
    expect(fits.status).toBe(200)
    expectBare(await sendRaw(port, head([`X-Long: ${'a'.repeat(2048)}`])), 431)
    expect(upstream.requests).toHaveLength(1)
  })

  it('is 16 KiB when nothing is configured', async () => {
    const { port, upstream } = await start()
    expect(parseResponse(await sendRaw(port, head([`X: ${'a'.repeat(15_000)}`]))).status).toBe(200)
    expectBare(await sendRaw(port, head([`X: ${'a'.repeat(16_384)}`])), 431)
    expect(upstream.requests).toHaveLength(1)
  })

  it('is a bare 431 also when the line that is too long comes in several packets', async () => {
    const { port, upstream } = await start({ max_header_bytes: 2048 })
    const long = 'a'.repeat(1500)
    expectBare(await sendParts(port, [head([]).slice(0, -2), 'X-Long: ', long, `${long}\r\n\r\n`]), 431)
    expectBare(await sendParts(port, [head([]).slice(0, -2), `X-Long: ${long}`, long]), 431)
    expect(upstream.requests).toHaveLength(0)
  })

  it('counts header names and values together', async () => {
    const { port, upstream } = await start({ max_header_bytes: 2048 })
    const lines = Array.from({ length: 60 }, (_, index) => `X-Header-${index}: ${'a'.repeat(40)}`)
    expectBare(await sendRaw(port, head(lines)), 431)
    expect(upstream.requests).toHaveLength(0)
  })
})

describe('the number of header lines', () => {
  it('is bound by max_headers: one more is a bare 431', async () => {
    const { port, upstream } = await start({ max_headers: 10 })
    const lines = (count: number) => Array.from({ length: count }, (_, index) => `x-${index}: a`)
    // Three lines are in the head already.
    expect(parseResponse(await sendRaw(port, head(lines(7)))).status).toBe(200)
    expectBare(await sendRaw(port, head(lines(8))), 431)
    expect(upstream.requests).toHaveLength(1)
  })

  it('is bound so that 2,100 short lines cannot hide a Content-Length (F1)', async () => {
    const { port, upstream } = await start()
    const lines = Array.from({ length: 2100 }, () => 'a:')
    expectBare(await sendRaw(port, head([...lines, 'Content-Length: 5']).concat('hello')), 431)
    expectBare(await sendRaw(port, head(['Content-Length: 5', ...lines]).concat('hello')), 431)
    expect(upstream.requests).toHaveLength(0)
  })
})

describe('a request line that is too long', () => {
  const line = (length: number) => `GET /${'a'.repeat(length)} HTTP/1.1\r\nHost: gateway\r\n\r\n`

  it('is a bare 414', async () => {
    const { port, upstream } = await start({ max_header_bytes: 2048 })
    expectBare(await sendRaw(port, line(3000)), 414)
    expectBare(await sendRaw(port, `GET /${'a'.repeat(3000)}`), 414)
    expectBare(await sendRaw(port, `GET /?${'a'.repeat(3000)} HTTP/1.1\r\nHost: gateway\r\n\r\n`), 414)
    expect(upstream.requests).toHaveLength(0)
  })

  it('is a bare 414 also when it ends in a later packet', async () => {
    const { port } = await start({ max_header_bytes: 2048 })
    const text = line(3000)
    expectBare(await sendParts(port, [text.slice(0, 1500), text.slice(1500)]), 414)
  })

  it('is looked up when it fits', async () => {
    const { port } = await start({ max_header_bytes: 2048 })
    const { send, response } = await openConnection(port)
    send(line(1500))
    expectRefusal(await response(), 404, 'ROUTE_NOT_FOUND')
  })
})

describe('connections', () => {
  it('are bound by max_connections: one more is closed without a byte, and the place is free again later', async () => {
    const { port } = await start({ max_connections: 2 })
    const first = await openConnection(port)
    const second = await openConnection(port)
    first.send(keptHead)
    expect((await first.response()).status).toBe(200)
    const third = await openSocket(port)
    let received = ''
    third.on('data', (data) => {
      received += data
    })
    await once(third, 'close')
    expect(received).toBe('')
    second.socket.destroy()
    await expect.poll(() => sendRaw(port, head([])).then((text) => text.slice(0, 12))).toBe('HTTP/1.1 200')
  })

  it('end after 1,000 requests, each of which is answered, and none is looked at behind them', async () => {
    const { port, upstream } = await start()
    const { send, response, closed } = await openConnection(port)
    send(keptHead + 'GET /healthz HTTP/1.1\r\nHost: gateway\r\n\r\n'.repeat(999) + keptHead.repeat(5))
    for (let count = 1; count < 1000; count += 1) {
      const { status, headers } = await response()
      expect({ status, connection: headers['connection'] }).toEqual({ status: 200, connection: 'keep-alive' })
    }
    const last = await response()
    expect({ status: last.status, connection: last.headers['connection'] }).toEqual({
      status: 200,
      connection: 'close',
    })
    expect(await closed()).toBe('')
    const next = await openConnection(port)
    next.send(keptHead)
    await next.response()
    expect(upstream.requests).toHaveLength(2)
  })
})
