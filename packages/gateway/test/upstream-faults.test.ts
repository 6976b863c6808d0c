import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { headerValues, sendRequest } from '@agentic-rest/testing/send-request'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { startTcpUpstream } from '@agentic-rest/testing/start-upstream'
import { untilRead } from '@agentic-rest/testing/until-read'
import { describe, expect, it } from 'vitest'
import type { ErrorCode } from '../src/errors.ts'
import { expectOwnHeaders, expectRefusal } from './harness/expect-refusal.ts'

/** Does something to a socket; `port` is that of the gateway. */
type Behaviour = (socket: Socket, port: number) => void

/** A gateway in front of an upstream that does something to its socket once the request is there. */
async function gatewayTo(behaviour: Behaviour, route: Record<string, unknown> = {}) {
  const connections = { count: 0 }
  const upstream = await startTcpUpstream((socket) => {
    socket.once('data', (data) => {
      // A port may have had another owner before, whose clients still look for it: they are not the gateway.
      if (data.toString('latin1').startsWith('GET /r ')) connections.count += 1
      behaviour(socket, gateway.port)
    })
  })
  const gateway = await startGateway({
    gateway: { limits: { max_upstream_connections_per_origin: 1, max_upstream_queue_per_origin: 0 } },
    routes: [{ id: 'r', method: 'GET', path: '/r', target: upstream.url, ...route }],
  })
  return { ...gateway, upstream, connections }
}

const head = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`
const write =
  (bytes: string, then?: Behaviour): Behaviour =>
  (socket, port) =>
    void socket.write(bytes, 'latin1', () => then?.(socket, port))
const end = (socket: Socket) => void socket.end()
const reset = (socket: Socket) => void socket.resetAndDestroy()
/** Does something when the gateway has read what was written: a reset takes along what is unread. */
const onceRead =
  (then: Behaviour): Behaviour =>
  async (socket, port) => {
    await untilRead(port)
    then(socket, port)
  }

interface Case {
  readonly title: string
  readonly upstream: Behaviour
  readonly code: ErrorCode
}

const ok = 'HTTP/1.1 200 OK'
const cases: Case[] = [
  { title: 'closes without a byte', upstream: end, code: 'UPSTREAM_UNAVAILABLE' },
  { title: 'resets without a byte', upstream: reset, code: 'UPSTREAM_UNAVAILABLE' },
  { title: 'closes in the status line', upstream: write('HTTP/1.1 20', end), code: 'UPSTREAM_UNAVAILABLE' },
  {
    title: 'resets within its headers',
    upstream: write(`${ok}\r\nX-A: `, reset),
    code: 'UPSTREAM_UNAVAILABLE',
  },
  { title: 'closes after an empty line', upstream: write('\r\n', end), code: 'UPSTREAM_UNAVAILABLE' },
  {
    title: 'closes after 103',
    upstream: write(head('HTTP/1.1 103 Early Hints'), end),
    code: 'UPSTREAM_UNAVAILABLE',
  },
  {
    title: 'speaks garbage',
    upstream: write('hello, who is there?\r\n\r\n'),
    code: 'UPSTREAM_INVALID_RESPONSE',
  },
  { title: 'speaks TLS', upstream: write('\x15\x03\x01\x00\x02\x02\x46'), code: 'UPSTREAM_INVALID_RESPONSE' },
  {
    title: 'has a status below 100',
    upstream: write(head('HTTP/1.1 099 Odd', 'Content-Length: 0')),
    code: 'UPSTREAM_INVALID_RESPONSE',
  },
  {
    title: 'has a header of 20 KB',
    upstream: write(head(ok, `X-Long: ${'a'.repeat(20_000)}`, 'Content-Length: 0')),
    code: 'UPSTREAM_INVALID_RESPONSE',
  },
  {
    title: 'has 20 KB of small headers',
    upstream: write(head(ok, ...Array.from({ length: 2000 }, (_, index) => `X-${index}: abcdef`))),
    code: 'UPSTREAM_INVALID_RESPONSE',
  },
  {
    title: 'switches protocols',
    upstream: write(head('HTTP/1.1 101 Switching Protocols', 'Connection: upgrade', 'Upgrade: websocket')),
    code: 'UPSTREAM_INVALID_RESPONSE',
  },
  {
    title: 'says 101 without a protocol',
    upstream: write(head('HTTP/1.1 101 Switching Protocols')),
    code: 'UPSTREAM_INVALID_RESPONSE',
  },
  {
    title: 'says 100 though nobody waits for it',
    upstream: write(head('HTTP/1.1 100 Continue')),
    code: 'UPSTREAM_INVALID_RESPONSE',
  },
  {
    title: 'has a control character in a header',
    upstream: write(head(ok, 'X-A: \x01', 'Content-Length: 0')),
    code: 'UPSTREAM_INVALID_RESPONSE',
  },
  {
    title: 'has a space before a colon',
    upstream: write(head(ok, 'Content-Length : 0')),
    code: 'UPSTREAM_INVALID_RESPONSE',
  },
  {
    title: 'has two lengths',
    upstream: write(`${head(ok, 'Content-Length: 2', 'Content-Length: 3')}abc`),
    code: 'UPSTREAM_INVALID_RESPONSE',
  },
  {
    title: 'has a length and a transfer coding',
    upstream: write(`${head(ok, 'Content-Length: 2', 'Transfer-Encoding: chunked')}2\r\nok\r\n0\r\n\r\n`),
    code: 'UPSTREAM_INVALID_RESPONSE',
  },
  {
    title: 'has a transfer coding that nobody asked for',
    upstream: write(`${head(ok, 'Transfer-Encoding: gzip, chunked')}2\r\nok\r\n0\r\n\r\n`),
    code: 'UPSTREAM_INVALID_RESPONSE',
  },
  {
    title: 'has a transfer coding without an end',
    upstream: write(`${head(ok, 'Transfer-Encoding: gzip')}ok`, end),
    code: 'UPSTREAM_INVALID_RESPONSE',
  },
]

describe('an upstream that gives no answer', () => {
  it.each(cases)('$title: 424 $code', async ({ upstream: behaviour, code }) => {
    const { url, upstream, metrics, audit, connections } = await gatewayTo(behaviour)
    const answer = await sendRequest(`${url}/r`)
    expectRefusal(answer, 424, code)
    const sent = answer.rawHeaders.join('\n') + answer.body.toString()
    expect(sent).not.toContain(String(upstream.port))
    expect(sent).not.toMatch(/127\.0\.0\.1|ECONN|undici|socket|\.ts\b/i)
    expect(connections.count).toBe(1)
    expect(metricValue(await metrics(), 'agentic_requests_total', { outcome: 'failed_dependency' })).toBe(1)
    expect(audit).toMatchObject([{ outcome: 'error', attributes: { outcome_type: 'failed_dependency' } }])
    // The one place of this upstream is free again.
    expectRefusal(await sendRequest(`${url}/r`), 424, code)
  })

  it('that nobody listens for is 424 UPSTREAM_UNAVAILABLE', async () => {
    const { url } = await startGateway({
      routes: [{ id: 'r', method: 'GET', path: '/r', target: 'http://127.0.0.1:1' }],
    })
    expectRefusal(await sendRequest(`${url}/r`), 424, 'UPSTREAM_UNAVAILABLE')
  })

  it('whose name does not resolve is 424 UPSTREAM_UNAVAILABLE', async () => {
    const { url } = await startGateway({
      routes: [{ id: 'r', method: 'GET', path: '/r', target: 'http://service.invalid' }],
    })
    const answer = await sendRequest(`${url}/r`)
    expectRefusal(answer, 424, 'UPSTREAM_UNAVAILABLE')
    expect(answer.body.toString()).not.toContain('service.invalid')
  })

  it('that is silent is 500 EXECUTION_TIMEOUT at the deadline, and its connection ends', async () => {
    const closed: number[] = []
    const { url } = await gatewayTo((socket) => socket.on('close', () => closed.push(performance.now())), {
      executionTimeoutSeconds: 1,
    })
    const start = performance.now()
    const answer = await sendRequest(`${url}/r`)
    expectRefusal(answer, 500, 'EXECUTION_TIMEOUT')
    expect(performance.now() - start).toBeGreaterThan(990)
    await eventually(
      () => closed.length,
      (count) => count === 1,
    )
    expectRefusal(await sendRequest(`${url}/r`), 500, 'EXECUTION_TIMEOUT')
  })

  it('that drips its headers is 500 EXECUTION_TIMEOUT at the deadline', async () => {
    const { url } = await gatewayTo(
      async (socket) => {
        for (const byte of head(ok, `X-Slow: ${'a'.repeat(100)}`)) {
          if (socket.destroyed) return
          socket.write(byte)
          // Wait: the upstream drips on purpose. All its bytes take longer than the deadline.
          await sleep(25)
        }
      },
      { executionTimeoutSeconds: 1 },
    )
    expectRefusal(await sendRequest(`${url}/r`), 500, 'EXECUTION_TIMEOUT')
  })

  it('that sends 103 for ever is 500 EXECUTION_TIMEOUT at the deadline', async () => {
    const { url } = await gatewayTo(
      async (socket) => {
        while (!socket.destroyed) {
          socket.write(head('HTTP/1.1 103 Early Hints', 'Link: </a>'))
          // Wait: the upstream goes on until the deadline, with pauses for the gateway to read.
          await sleep(10)
        }
      },
      { executionTimeoutSeconds: 1 },
    )
    expectRefusal(await sendRequest(`${url}/r`), 500, 'EXECUTION_TIMEOUT')
  })
})

describe('an upstream whose head holds any byte', () => {
  it('is passed on or refused, and never harms the gateway', async () => {
    let bytes = Buffer.alloc(0)
    const { url, log } = await gatewayTo((socket) => void socket.end(bytes), { conformance: 'off' })
    const outcomes = new Map<string, number>()
    for (let byte = 0; byte < 256; byte += 1) {
      const odd = String.fromCharCode(byte)
      for (const text of [
        head(`HTTP/1.1 200 O${odd}K`, 'Content-Length: 0'),
        head(ok, `X-A: a${odd}b`, 'Content-Length: 0'),
        head(ok, `X${odd}A: b`, 'Content-Length: 0'),
        head(`HTTP/1.1 2${odd}0 OK`, 'Content-Length: 0'),
        `${odd}${head(ok, 'Content-Length: 0')}`,
      ]) {
        bytes = Buffer.from(text, 'latin1')
        const { status, body } = await sendRequest(`${url}/r`)
        const outcome = `${status} ${/"code":"([A-Z_]*)"/.exec(body.toString())?.[1] ?? ''}`
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      }
    }
    const statuses = Array.from({ length: 10 }, (_, digit) => `2${digit}0 `)
    const allowed = ['424 UPSTREAM_INVALID_RESPONSE', '424 UPSTREAM_UNAVAILABLE', ...statuses]
    expect([...outcomes.keys()].filter((outcome) => !allowed.includes(outcome))).toEqual([])
    expect(outcomes.get('200 ')).toBeGreaterThan(300)
    expect(outcomes.get('424 UPSTREAM_INVALID_RESPONSE')).toBeGreaterThan(300)
    expect(log.filter(({ level }) => level === 'error')).toEqual([])
  })
})

describe('an upstream that breaks off within its body', () => {
  const length = head(ok, 'Content-Type: application/json', 'Content-Length: 20')
  const chunked = head(ok, 'Content-Type: application/json', 'Transfer-Encoding: chunked')
  const unframed = head(ok, 'Content-Type: application/json', 'Connection: close')
  it.each<[string, Behaviour]>([
    ['closes before its length is reached', write(`${length}{"half":`, end)],
    ['resets before its length is reached', write(`${length}{"half":`, onceRead(reset))],
    ['closes within a chunk', write(`${chunked}14\r\n{"half":`, end)],
    ['closes between chunks', write(`${chunked}8\r\n{"half":\r\n`, end)],
    ['sends a chunk size that is none', write(`${chunked}8\r\n{"half":\r\nzz\r\n`)],
    ['resets a body that its end would end', write(`${unframed}{"half":`, onceRead(reset))],
  ])('%s: the client sees the cut', async (_title, behaviour) => {
    const { url, metrics, audit } = await gatewayTo(behaviour, { conformance: 'off' })
    const answer = await sendRequest(`${url}/r`)
    expect(answer).toMatchObject({ status: 200, complete: false })
    expect('{"half":'.startsWith(answer.body.toString())).toBe(true)
    expectOwnHeaders(answer)
    const labels = { outcome: 'failed_dependency' }
    expect(metricValue(await metrics(), 'agentic_requests_total', labels)).toBe(1)
    expect(audit).toMatchObject([{ outcome: 'error', attributes: { outcome_type: 'failed_dependency' } }])
    expect((await sendRequest(`${url}/r`)).status).toBe(200)
  })

  it('closes after its headers: the client sees the cut', async () => {
    const { url } = await gatewayTo(write(length, onceRead(end)))
    const answer = await sendRequest(`${url}/r`)
    expect(answer).toMatchObject({ status: 200, complete: false, body: Buffer.alloc(0) })
  })

  it('ends a body without length by closing: that body is complete', async () => {
    const { url } = await gatewayTo(write(`${unframed}{"whole":1}`, end))
    const answer = await sendRequest(`${url}/r`)
    expect(answer).toMatchObject({ status: 200, complete: true })
    expect(answer.body.toString()).toBe('{"whole":1}')
  })

  it('drips its body past the deadline: the client sees the cut', async () => {
    const { url } = await gatewayTo(
      async (socket) => {
        socket.write(head(ok, 'Content-Type: application/json', 'Content-Length: 1000'))
        while (!socket.destroyed) {
          // More than the test asks for: on a busy machine there may be time for one.
          socket.write(' '.repeat(11))
          // Wait: the upstream drips on purpose, past the deadline.
          await sleep(20)
        }
      },
      { executionTimeoutSeconds: 1 },
    )
    const answer = await sendRequest(`${url}/r`)
    expect(answer).toMatchObject({ status: 200, complete: false })
    expect(answer.body.length).toBeGreaterThan(10)
  })

  it('drips its body without a deadline: every byte arrives', async () => {
    const { url } = await gatewayTo(async (socket, port) => {
      socket.write(head(ok, 'Content-Type: application/json', 'Content-Length: 12'))
      for (const byte of '{"slow":"1"}') {
        await untilRead(port)
        socket.write(byte)
      }
    })
    expect((await sendRequest(`${url}/r`)).body.toString()).toBe('{"slow":"1"}')
  })
})

describe('an upstream that says more than it has to', () => {
  it('may send trailers; they are not passed on', async () => {
    const { url } = await gatewayTo(
      write(
        `${head(ok, 'Content-Type: application/json', 'Trailer: X-Late', 'Transfer-Encoding: chunked')}` +
          '2\r\n{}\r\n0\r\nX-Late: 1\r\nX-Agentic-Profile: v9\r\nX-Request-ID: forged\r\n\r\n',
      ),
    )
    const answer = await sendRequest(`${url}/r`)
    expect(answer).toMatchObject({ status: 200, complete: true })
    expect(answer.body.toString()).toBe('{}')
    expect(headerValues(answer, 'trailer')).toEqual([])
    expectOwnHeaders(answer)
  })

  it('may drip every byte of its head', async () => {
    const { url } = await gatewayTo(async (socket, port) => {
      for (const byte of `${head(ok, 'Content-Type: application/json', 'X-Slow: yes', 'Content-Length: 2')}{}`) {
        socket.write(byte)
        await untilRead(port)
      }
    })
    const answer = await sendRequest(`${url}/r`)
    expect(answer).toMatchObject({ status: 200, complete: true })
    expect(headerValues(answer, 'x-slow')).toEqual(['yes'])
  })

  it('may send 102 and 103 before its answer; they are not passed on', async () => {
    const { url } = await gatewayTo(
      write(
        head('HTTP/1.1 102 Processing') +
          head('HTTP/1.1 103 Early Hints', 'X-Early: 1') +
          head(ok, 'Content-Type: application/json', 'Content-Length: 2', 'X-Final: 1') +
          '{}',
      ),
    )
    const answer = await sendRequest(`${url}/r`)
    expect(answer).toMatchObject({ status: 200, complete: true })
    expect(answer.body.toString()).toBe('{}')
    expect(headerValues(answer, 'x-final')).toEqual(['1'])
    expect(headerValues(answer, 'x-early')).toEqual([])
    expectOwnHeaders(answer)
  })

  it('sends bytes beyond its length: they reach nobody and its connection is not used again', async () => {
    const { url, connections } = await gatewayTo(
      write(`${head(ok, 'Content-Type: application/json', 'Content-Length: 2')}{}EXCESS`),
    )
    for (let count = 1; count <= 3; count += 1) {
      const answer = await sendRequest(`${url}/r`)
      expect(answer).toMatchObject({ status: 200, complete: true })
      expect(answer.body.toString()).toBe('{}')
      expect(connections.count).toBe(count)
    }
  })
})
