import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { eventually } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { startServer } from '@agentic-rest/testing/start-server'
import { startTcpUpstream } from '@agentic-rest/testing/start-upstream'
import { untilRead } from '@agentic-rest/testing/until-read'
import { describe, expect, it } from 'vitest'
import { expectOwnHeaders } from './harness/expect-refusal.ts'
import { openSocket, parseResponse } from './harness/raw-client.ts'

const limits = { max_upstream_connections_per_origin: 1, max_upstream_queue_per_origin: 0 }
const answerWith = (word: string) =>
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${word.length + 2}\r\n\r\n"${word}"`
const routes = (target: string) => [{ id: 'p', method: 'POST', path: '/p', target }]

describe('an upstream that answers before it has read the request', () => {
  const early = 'HTTP/1.1 413 Too Large\r\nContent-Type: application/json\r\nContent-Length: 9\r\n'

  it.each([
    ['keeps the connection', `${early}\r\n"too big"`],
    ['says that it closes', `${early}Connection: close\r\n\r\n"too big"`],
  ])('and %s: its answer reaches a client that is still sending', async (_title, bytes) => {
    const upstream = await startTcpUpstream((socket) =>
      socket.once('data', () => {
        socket.pause()
        socket.write(bytes)
      }),
    )
    const { port, metrics } = await startGateway({ gateway: { limits }, routes: routes(upstream.url) })
    for (let round = 0; round < 3; round += 1) {
      const socket = await openSocket(port)
      const chunks: Buffer[] = []
      socket.on('data', (chunk) => chunks.push(chunk))
      socket.write('POST /p HTTP/1.1\r\nHost: g\r\nX-Tenant-ID: acme\r\nContent-Length: 5000000\r\n\r\n')
      socket.write(Buffer.alloc(200_000))
      const text = await eventually(
        () => Buffer.concat(chunks).toString('latin1'),
        (received) => received.endsWith('"too big"'),
      )
      expect(parseResponse(text)).toMatchObject({ status: 413, body: '"too big"' })
      socket.destroy()
    }
    // The one place was free again each time, though the body was never sent to its end.
    const scrape = await metrics()
    expect(metricValue(scrape, 'agentic_requests_total', { outcome: 'untyped_4xx' })).toBe(3)
  })

  it('to a body that the gateway had read: what it has not taken of it is never read as the request of another', async () => {
    let readOn: () => void = () => undefined
    const upstream = await startTcpUpstream((socket) => {
      socket.once('data', (first) => {
        if (first.toString('latin1').startsWith('GET')) return void socket.write(answerWith('own'))
        socket.pause()
        socket.write(answerWith('early'))
        readOn = () => void socket.resume()
        return void socket.on('data', (data) => {
          if (data.includes('GET /smuggled')) socket.write(answerWith('smuggled'))
        })
      })
    })
    const { url, port } = await startGateway({
      plugins: { 'otel-audit': { include_request_body: true } },
      routes: [...routes(upstream.url), { id: 'g', method: 'GET', path: '/g', target: upstream.url }],
    })
    const body = Buffer.concat([
      Buffer.alloc(9_000_000),
      Buffer.from('GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n'),
    ])
    expect((await sendRequest(`${url}/p`, { method: 'POST', body })).body.toString()).toBe('"early"')
    readOn()
    await untilRead(port)
    expect((await sendRequest(`${url}/g`)).body.toString()).toBe('"own"')
  })

  it('while a complete body is on its way: the client gets the answer and can go on', async () => {
    const upstream = await startServer((request, response) => {
      request.on('error', () => undefined)
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end('{"early":true}')
    })
    const { url } = await startGateway({ gateway: { limits }, routes: routes(upstream.url) })
    for (let round = 0; round < 5; round += 1) {
      const answer = await sendRequest(`${url}/p`, { method: 'POST', body: randomBytes(3_000_000) })
      expect(answer).toMatchObject({ status: 200, complete: true })
      expect(answer.body.toString()).toBe('{"early":true}')
      expectOwnHeaders(answer)
    }
  })
})

describe('an upstream that answers while it reads', () => {
  it('gets the whole body and the client the whole answer', async () => {
    const upstream = await startServer((request, response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' })
      response.flushHeaders()
      request.pipe(response)
    })
    const { url } = await startGateway({ gateway: { limits }, routes: routes(upstream.url) })
    const parts = Array.from({ length: 40 }, () => randomBytes(50_000))
    const answer = await sendRequest(`${url}/p`, {
      method: 'POST',
      headers: { 'transfer-encoding': 'chunked' },
      body: Readable.from(parts),
    })
    const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
    expect(answer).toMatchObject({ status: 200, complete: true })
    expect(sha(answer.body)).toBe(sha(Buffer.concat(parts)))
  })
})
