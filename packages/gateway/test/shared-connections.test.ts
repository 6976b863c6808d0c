import type { Socket } from 'node:net'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startTcpUpstream, startUpstream } from '@agentic-rest/testing/start-upstream'
import { untilRead } from '@agentic-rest/testing/until-read'
import { untilStill } from '@agentic-rest/testing/until-still'
import { describe, expect, it } from 'vitest'
import { expectBare, expectInvalid, expectRefusal } from './harness/expect-outcome.ts'
import { openConnection } from './harness/raw-connection.ts'

/** An upstream that answers with the tenant it saw; `/slow` waits until the test lets it go. */
async function start(limits: Record<string, number> = {}) {
  const held: (() => void)[] = []
  const upstream = await startUpstream(({ url, headers, body }, response) => {
    const answer = () =>
      answerJson(response, { body: { tenant: headers['x-tenant-id'], url, body: body.toString() } })
    if (url === '/slow') held.push(answer)
    else answer()
  })
  const { port, metrics } = await startGateway({
    gateway: { limits },
    routes: [
      { id: 'read', method: 'GET', path: '/r', target: upstream.url },
      { id: 'slow', method: 'GET', path: '/slow', target: upstream.url },
      { id: 'write', method: 'POST', path: '/r', target: upstream.url },
    ],
  })
  const release = async () => {
    await expect.poll(() => held.length).toBeGreaterThan(0)
    for (const answer of held.splice(0)) answer()
  }
  return { upstream, port, metrics, release }
}

const get = (path: string, headers: string) => `GET ${path} HTTP/1.1\r\nHost: gateway\r\n${headers}\r\n`
const post = (headers: string, body: string) =>
  `POST /r HTTP/1.1\r\nHost: gateway\r\nX-Tenant-ID: acme\r\n${headers}\r\n${body}`
const acme = 'X-Tenant-ID: acme\r\n'
const globex = 'X-Tenant-ID: globex\r\n'
const answerOf = (tenant: string, url = '/r', body = '') => JSON.stringify({ tenant, url, body })

/** Resolves when every buffer on the way is full and nothing more is taken off the socket. */
async function standstill(socket: Socket): Promise<void> {
  await untilStill(() => socket.bytesWritten - socket.writableLength)
}

describe('requests that share a connection', () => {
  it('are kept apart when two tenants are pipelined, in the order they came', async () => {
    const { port, upstream, release } = await start()
    const { send, response } = await openConnection(port)
    send(
      get('/slow', `${acme}X-Correlation-ID: first\r\n`) +
        get('/r', `${globex}X-Correlation-ID: second\r\n`) +
        post('X-Correlation-ID: third\r\nContent-Length: 2\r\n', 'hi'),
    )
    await release()
    const answers = [await response(), await response(), await response()]
    expect(answers.map(({ body, headers }) => [headers['x-correlation-id'], body])).toEqual([
      ['first', answerOf('acme', '/slow')],
      ['second', answerOf('globex')],
      ['third', answerOf('acme', '/r', 'hi')],
    ])
    expect(upstream.requests.map(({ headers }) => headers['x-correlation-id'])).toEqual([
      'first',
      'second',
      'third',
    ])
  })

  it('inherit nothing: the second has no tenant because the first had one', async () => {
    const { port, upstream } = await start()
    const { send, response } = await openConnection(port)
    send(get('/r', acme) + get('/r', ''))
    expect((await response()).body).toBe(answerOf('acme'))
    expectRefusal(await response(), 403, 'TENANT_REQUIRED')
    expect(upstream.requests).toHaveLength(1)
  })

  it('can follow a refusal: 404, 405, 422 and 403 leave the connection usable', async () => {
    const { port, upstream } = await start()
    const { send, response } = await openConnection(port)
    send(get('/none', acme))
    expectRefusal(await response(), 404, 'ROUTE_NOT_FOUND')
    send(post('Content-Length: 5\r\n', 'hello').replace('POST', 'PUT'))
    expectRefusal(await response(), 405, 'METHOD_NOT_ALLOWED')
    send(get('/%2e%2e/r', acme))
    expectInvalid(await response(), [{ field: 'path', message: 'must not have a dot segment' }])
    send(get('/r', 'X-Tenant-ID: no such tenant\r\n'))
    expectRefusal(await response(), 403, 'TENANT_UNKNOWN')
    send(get('/r', acme))
    expect((await response()).body).toBe(answerOf('acme'))
    expect(upstream.requests).toHaveLength(1)
  })

  it('can follow a body that was refused unread', async () => {
    const { port, upstream } = await start({ max_body_bytes: 1000 })
    const { send, response } = await openConnection(port)
    send(post('Content-Length: 200000\r\n', 'a'.repeat(200_000)) + get('/r', acme))
    expectRefusal(await response(), 413, 'BODY_TOO_LARGE')
    expect((await response()).body).toBe(answerOf('acme'))
    expect(upstream.requests).toHaveLength(1)
  })

  it('can follow a chunked body that was refused when half of it was read', async () => {
    const { port } = await start({ max_body_bytes: 100_000 })
    const { send, response, socket } = await openConnection(port)
    const chunk = `4000\r\n${'a'.repeat(0x4000)}\r\n`
    send(post('Transfer-Encoding: chunked\r\n', chunk.repeat(400)))
    expectRefusal(await response(), 413, 'BODY_TOO_LARGE')
    // All of it is taken off the wire: a client that writes first and reads then must not be stuck.
    await expect.poll(() => socket.writableLength).toBe(0)
    send(`0\r\n\r\n${get('/r', acme)}`)
    expect((await response()).body).toBe(answerOf('acme'))
  })

  it('can follow a body that nobody wanted any more, because the upstream answered before it had read it', async () => {
    const answered = Promise.withResolvers<void>()
    const upstream = await startTcpUpstream((socket) => {
      socket.once('data', async () => {
        socket.pause()
        await answered.promise
        socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}')
      })
    })
    const bytes = 40_000_000
    const { port } = await startGateway({
      gateway: { limits: { max_body_bytes: bytes } },
      routes: [{ id: 'write', method: 'POST', path: '/r', target: upstream.url }],
    })
    const { send, response, socket } = await openConnection(port)
    send(post(`Content-Length: ${bytes}\r\n`, 'a'.repeat(bytes)))
    send('GET /healthz HTTP/1.1\r\nHost: gateway\r\n\r\n')
    await standstill(socket)
    answered.resolve()
    expect((await response()).body).toBe('{}')
    expect((await response()).body).toBe('{"status":"ok"}')
    expect(socket.writableLength).toBe(0)
  })

  it('get their answers also when a later one ends the connection', async () => {
    const { port, release } = await start()
    const { send, response, closed } = await openConnection(port)
    send(get('/slow', acme) + get('/r', globex) + get('/r', `${acme}Content-Length: 1\r\n`))
    await release()
    expect((await response()).body).toBe(answerOf('acme', '/slow'))
    expect((await response()).body).toBe(answerOf('globex'))
    expectInvalid(await response(), [{ field: 'body', message: 'is not allowed with GET' }])
    expect(await closed()).toBe('')
  })

  it('are not processed behind one that asks for the end of the connection', async () => {
    const { port, upstream } = await start()
    const { send, response, closed } = await openConnection(port)
    send(get('/r', `${acme}Connection: close\r\n`) + get('/r', globex))
    const answer = await response()
    expect(answer.body).toBe(answerOf('acme'))
    expect(answer.headers['connection']).toBe('close')
    expect(await closed()).not.toContain('globex')
    expect(upstream.requests).toHaveLength(1)
  })
})

describe('bytes that cannot be parsed behind a good request', () => {
  it('get their bare 400 after its answer, when that is complete', async () => {
    const { port } = await start()
    const { send, response, closed } = await openConnection(port)
    send(get('/r', acme))
    expect((await response()).body).toBe(answerOf('acme'))
    send('garbage\r\n\r\n')
    expectBare(await closed(), 400)
  })

  it('get their bare 400 after its answer, when that is still awaited', async () => {
    const { port, release } = await start()
    const { send, response, closed } = await openConnection(port)
    send(`${get('/slow', acme)}garbage\r\n\r\n`)
    await release()
    expect((await response()).body).toBe(answerOf('acme', '/slow'))
    expectBare(await closed(), 400)
  })

  it('do not become an answer of the request before, when they are its own broken body', async () => {
    const { port, upstream, release, metrics } = await start()
    const { send, response, closed } = await openConnection(port)
    send(get('/slow', acme) + post('Transfer-Encoding: chunked\r\n', '5\r\nhello\r\nzz\r\n'))
    const cancelled = 'agentic_requests_total{route="write",outcome="client_disconnect",tenant_id=""} 1'
    await release()
    await expect.poll(metrics).toContain(cancelled)
    expect((await response()).body).toBe(answerOf('acme', '/slow'))
    expectBare(await closed(), 400)
    expect(upstream.requests.map(({ url }) => url)).toEqual(['/slow'])
  })

  it('end the connection without another answer, when their request is answered already', async () => {
    const { port } = await start()
    const { send, response, closed } = await openConnection(port)
    send(`POST /none HTTP/1.1\r\nHost: gateway\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`)
    expectRefusal(await response(), 404, 'ROUTE_NOT_FOUND')
    send('zz\r\n')
    expect(await closed()).toBe('')
  })

  it('are answered once, however many packets of them come', async () => {
    const { port, release } = await start()
    const { send, response, closed, socket } = await openConnection(port)
    socket.setNoDelay(true)
    send(get('/slow', acme))
    for (let count = 0; count < 5; count += 1) {
      send('garbage\r\n\r\n')
      await untilRead(port)
    }
    await release()
    expect((await response()).body).toBe(answerOf('acme', '/slow'))
    expectBare(await closed(), 400)
  })
})
