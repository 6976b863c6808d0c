import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo, Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { TestConfig } from '@agentic-rest/testing/config-text'
import { eventually } from '@agentic-rest/testing/eventually'
import { type RequestOptions, sendRequest } from '@agentic-rest/testing/send-request'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { startTcpUpstream } from '@agentic-rest/testing/start-upstream'
import { untilRead } from '@agentic-rest/testing/until-read'
import { describe, expect, it, onTestFinished } from 'vitest'
import { expectRefusal } from './harness/expect-refusal.ts'

/** One complete request that arrived on a connection. */
interface Arrival {
  readonly connection: number
  readonly method: string
  readonly head: string
  readonly body: string
}

type Answer = (socket: Socket, arrival: Arrival, arrivals: readonly Arrival[]) => void

const answerOk: Answer = (socket, { method }) =>
  void socket.write(
    `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n${method === 'HEAD' ? '' : '{}'}`,
  )

/** An upstream on bare sockets: it keeps connections open for ever and does with each request as the test says. */
async function startScriptedUpstream(answer: Answer) {
  const arrivals: Arrival[] = []
  let connections = 0
  const upstream = await startTcpUpstream((socket) => {
    const connection = connections
    connections += 1
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      const request = completeRequest(text)
      if (request === undefined) return
      text = ''
      const arrival = { connection, ...request }
      arrivals.push(arrival)
      answer(socket, arrival, arrivals)
    })
  })
  return { ...upstream, arrivals }
}

function completeRequest(text: string): Omit<Arrival, 'connection'> | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const head = text.slice(0, end)
  const body = text.slice(end + 4)
  const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
  const complete = /^transfer-encoding:/im.test(head) ? body.endsWith('0\r\n\r\n') : body.length === length
  return complete ? { method: head.slice(0, head.indexOf(' ')), head, body } : undefined
}

const methods = ['GET', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']

async function startPair(answer: Answer, config: Partial<TestConfig> = {}) {
  const upstream = await startScriptedUpstream(answer)
  const gateway = await startGateway({
    gateway: {
      limits: {
        max_upstream_connections_per_tenant: 8,
        max_upstream_connections_per_origin: 8,
        max_upstream_queue_per_origin: 0,
      },
    },
    routes: methods.map((method) => ({ id: method, method, path: '/r', target: upstream.url })),
    ...config,
  })
  return {
    ...gateway,
    arrivals: upstream.arrivals,
    send: (options?: RequestOptions) => sendRequest(`${gateway.url}/r`, options),
  }
}

type Loss = (socket: Socket) => void
const losses: readonly [string, Loss][] = [
  ['is reset', (socket) => void socket.resetAndDestroy()],
  ['is closed', (socket) => void socket.end()],
]

/** Serves the first request of each connection and loses the second. */
const losesSecond =
  (lose: Loss): Answer =>
  (socket, arrival, arrivals) => {
    const served = arrivals.filter(({ connection }) => connection === arrival.connection).length
    if (served === 1) answerOk(socket, arrival, arrivals)
    else lose(socket)
  }

const keyed = { 'idempotency-key': 'k-1', 'content-type': 'application/json' }

describe.each(losses)('a request on a reused connection that %s', (_title, lose) => {
  it.each(['GET', 'HEAD', 'OPTIONS'])('is sent once more when it is %s', async (method) => {
    const { send, arrivals } = await startPair(losesSecond(lose))
    expect((await send()).status).toBe(200)
    const answer = await send({ method })
    expect(answer).toMatchObject({ status: 200, complete: true })
    expect(arrivals.map(({ method: name, connection }) => [name, connection])).toEqual([
      ['GET', 0],
      [method, 0],
      [method, 1],
    ])
  })

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'is sent once more when it is %s with a key',
    async (method) => {
      const { send, arrivals } = await startPair(losesSecond(lose))
      await send()
      const answer = await send({ method, headers: keyed, body: '{"a":1}' })
      expect(answer).toMatchObject({ status: 200, complete: true })
      expect(arrivals.map(({ connection }) => connection)).toEqual([0, 0, 1])
      const [, first, second] = arrivals
      expect(first?.head).toMatch(/^idempotency-key: k-1$/im)
      const heads = [first, second].map((arrival) => arrival?.head.replace(/^connection: .*$/im, ''))
      expect(heads[1]).toBe(heads[0])
      expect([first?.body, second?.body]).toEqual(['{"a":1}', '{"a":1}'])
    },
  )

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'is never sent again when it is %s without a key',
    async (method) => {
      const { send, arrivals } = await startPair(losesSecond(lose))
      await send()
      const headers = { 'content-type': 'application/json' }
      expectRefusal(await send({ method, headers, body: '{"a":1}' }), 424, 'UPSTREAM_UNAVAILABLE')
      expect(arrivals).toHaveLength(2)
    },
  )

  it('is never sent again when its key is empty, because the upstream does not see an empty key', async () => {
    const { send, arrivals } = await startPair(losesSecond(lose))
    await send()
    const headers = { ...keyed, 'idempotency-key': '' }
    expectRefusal(await send({ method: 'POST', headers, body: '{}' }), 424, 'UPSTREAM_UNAVAILABLE')
    expect(arrivals).toHaveLength(2)
    expect(arrivals[1]?.head).not.toMatch(/idempotency-key/i)
  })
})

describe('a request that is lost', () => {
  const reset = (socket: Socket) => void socket.resetAndDestroy()

  it('is never sent a third time', async () => {
    const { send, arrivals } = await startPair((socket, arrival, arrivals) => {
      if (arrivals.length === 1) answerOk(socket, arrival, arrivals)
      else reset(socket)
    })
    await send()
    expectRefusal(await send(), 424, 'UPSTREAM_UNAVAILABLE')
    expect(arrivals.map(({ connection }) => connection)).toEqual([0, 0, 1])
  })

  it('on a fresh connection is not sent again', async () => {
    for (const [, lose] of losses) {
      const { send, arrivals } = await startPair((socket) => lose(socket))
      expectRefusal(await send(), 424, 'UPSTREAM_UNAVAILABLE')
      expectRefusal(await send({ method: 'POST', headers: keyed, body: '{}' }), 424, 'UPSTREAM_UNAVAILABLE')
      expect(arrivals).toHaveLength(2)
    }
  })

  it.each(losses)('after the first byte of its answer is not sent again (%s)', async (_title, lose) => {
    for (const bytes of ['H', 'HTTP/1.1 200 OK\r\n', 'HTTP/1.1 103 Early Hints\r\n\r\n']) {
      const { send, arrivals, port } = await startPair(async (socket, arrival, arrivals) => {
        if (arrivals.length === 1) return answerOk(socket, arrival, arrivals)
        socket.write(bytes)
        // A reset takes along what is unread.
        await untilRead(port)
        lose(socket)
      })
      await send()
      expectRefusal(await send(), 424, 'UPSTREAM_UNAVAILABLE')
      expect(arrivals).toHaveLength(2)
    }
  })

  it('is sent again on a fresh connection, however many idle ones are as dead', async () => {
    const held: (() => void)[] = []
    const { send, arrivals } = await startPair((socket, arrival, arrivals) => {
      if (arrivals.length > 6 && arrival.connection < 6) return reset(socket)
      held.push(() => answerOk(socket, arrival, arrivals))
      if (arrivals.length >= 6) for (const answer of held.splice(0)) answer()
    })
    // All six are open at once before any is answered, so six connections are idle afterwards.
    await Promise.all(Array.from({ length: 6 }, () => send()))
    expect((await send()).status).toBe(200)
    expect(arrivals.slice(6).map(({ connection }) => connection >= 6)).toEqual([false, true])
  })

  it('is sent again with up to 64 KiB of body, and not with more', async () => {
    for (const [length, status] of [
      [65_536, 200],
      [65_537, 424],
    ] as const) {
      const { send, arrivals } = await startPair(losesSecond(reset))
      await send()
      const answer = await send({ method: 'POST', headers: keyed, body: 'x'.repeat(length) })
      expect(answer.status).toBe(status)
      expect(arrivals.slice(1).map(({ body }) => body.length)).toEqual(
        status === 200 ? [length, length] : [length],
      )
    }
  })

  it('is sent again when its chunked body turns out to be small, and not when it does not', async () => {
    const headers = { ...keyed, 'transfer-encoding': 'chunked' }
    const small = await startPair(losesSecond(reset))
    await small.send()
    expect((await small.send({ method: 'POST', headers, body: '{"a":1}' })).status).toBe(200)
    expect(small.arrivals.map(({ body }) => body)).toEqual(['', '{"a":1}', '{"a":1}'])
    const large = await startPair(losesSecond(reset))
    await large.send()
    const answer = await large.send({ method: 'POST', headers, body: 'x'.repeat(100_000) })
    expectRefusal(answer, 424, 'UPSTREAM_UNAVAILABLE')
    expect(large.arrivals).toHaveLength(2)
  })

  it('is not sent again with a large body even when a plugin had read it', async () => {
    const { send, arrivals } = await startPair(losesSecond(reset), {
      plugins: { 'otel-audit': { include_request_body: true } },
    })
    await send()
    const answer = await send({ method: 'POST', headers: keyed, body: 'x'.repeat(100_000) })
    expectRefusal(answer, 424, 'UPSTREAM_UNAVAILABLE')
    expect(arrivals).toHaveLength(2)
  })

  it('is not sent again when its client has left', async () => {
    const controller = new AbortController()
    const lost = Promise.withResolvers<Socket>()
    const { send, arrivals, metrics } = await startPair((socket, arrival, arrivals) => {
      if (arrivals.length !== 2) return answerOk(socket, arrival, arrivals)
      controller.abort()
      lost.resolve(socket)
    })
    await send()
    await expect(send({ signal: controller.signal })).rejects.toThrow('aborted')
    await eventually(metrics, (text) => text.includes('outcome="client_disconnect"'))
    reset(await lost.promise)
    expect((await send()).status).toBe(200)
    expect(arrivals).toHaveLength(3)
  })
})

describe('a request over TLS', () => {
  const cert = readFileSync(`${import.meta.dirname}/plugins/otel-audit/tls/collector.crt`)
  const key = readFileSync(`${import.meta.dirname}/plugins/otel-audit/tls/collector.key`)

  /** The handshake brings bytes too: they must not pass for an answer. */
  async function startTlsPair(losesFirst: boolean) {
    const arrivals: number[] = []
    let connections = 0
    const server = createTlsServer({ cert, key }, (socket) => {
      const connection = connections
      connections += 1
      socket
        .on('error', () => undefined)
        .on('data', () => {
          arrivals.push(connection)
          const served = arrivals.filter((number) => number === connection).length
          if (losesFirst || served > 1) socket.destroy()
          else
            socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}')
        })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const ca_file = `${import.meta.dirname}/plugins/otel-audit/tls/collector.crt`
    const gateway = await startGateway({
      routes: [{ id: 'r', method: 'GET', path: '/r', target: `https://localhost:${port}`, ca_file }],
    })
    return { arrivals, send: () => sendRequest(`${gateway.url}/r`) }
  }

  it('is sent once more on a reused connection', async () => {
    const { send, arrivals } = await startTlsPair(false)
    expect((await send()).status).toBe(200)
    expect((await send()).status).toBe(200)
    expect(arrivals).toEqual([0, 0, 1])
  })

  it('is not sent again on a fresh connection', async () => {
    const { send, arrivals } = await startTlsPair(true)
    expectRefusal(await send(), 424, 'UPSTREAM_UNAVAILABLE')
    expect(arrivals).toEqual([0])
  })
})
