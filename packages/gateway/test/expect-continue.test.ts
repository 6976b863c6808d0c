import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { describe, expect, it } from 'vitest'
import { expectInvalid, expectRefusal } from './harness/expect-outcome.ts'
import { openConnection } from './harness/raw-connection.ts'

async function start() {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: { ok: true } }))
  const { port } = await startGateway({
    gateway: { limits: { max_body_bytes: 1_000_000 } },
    routes: [{ id: 'write', method: 'POST', path: '/r', target: upstream.url }],
  })
  return { upstream, port }
}

const request = (headers: string, path = '/r') =>
  `POST ${path} HTTP/1.1\r\nHost: gateway\r\nX-Tenant-ID: acme\r\n${headers}\r\n`
const expecting = 'Expect: 100-continue\r\n'

describe('a client that expects 100-continue', () => {
  it.each([
    ['a small body', 'Content-Length: 5\r\n', 'hello'],
    ['a large body', 'Content-Length: 100000\r\n', 'a'.repeat(100_000)],
    ['a chunked body', 'Transfer-Encoding: chunked\r\n', '5\r\nhello\r\n0\r\n\r\n'],
  ])('is told to go on when its body is wanted: %s', async (_title, framing, body) => {
    const { port, upstream } = await start()
    const { send, response } = await openConnection(port)
    send(request(expecting + framing))
    const interim = await response()
    expect({ status: interim.status, headers: interim.rawHeaders }).toEqual({ status: 100, headers: [] })
    expect(upstream.requests).toHaveLength(0)
    send(body)
    const answer = await response()
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: '{"ok":true}' })
    expect(answer.headers['connection']).toBe('keep-alive')
    expect(upstream.requests).toHaveLength(1)
    // The upstream is a connection of its own: what was expected of the gateway is not expected of it.
    expect(upstream.requests[0]?.headers).not.toHaveProperty('expect')
  })

  it.each([
    ['no route', '/none', '', 404, 'ROUTE_NOT_FOUND'],
    ['no such tenant', '/r', 'X-Actor-Principal: a\r\n', 403, 'TENANT_REQUIRED'],
    ['a body that is too large', '/r', '', 413, 'BODY_TOO_LARGE'],
  ] as const)('is refused without being asked for its body, and the connection ends: %s', async (...row) => {
    const [, path, , status, code] = row
    const { port, upstream } = await start()
    const { send, response, closed } = await openConnection(port)
    const length = code === 'BODY_TOO_LARGE' ? 1_000_001 : 5
    const head = request(`${expecting}Content-Length: ${length}\r\n`, path)
    send(code === 'TENANT_REQUIRED' ? head.replace('X-Tenant-ID: acme\r\n', '') : head)
    const answer = await response()
    expectRefusal(answer, status, code)
    expect(answer.headers['connection']).toBe('close')
    expect(await closed()).toBe('')
    expect(upstream.requests).toHaveLength(0)
  })

  it('is refused for its head, and what it sends nevertheless is not taken for a request', async () => {
    const { port, upstream } = await start()
    const { send, response, closed } = await openConnection(port)
    const body = request('Content-Length: 0\r\n')
    send(request(`${expecting}X-Request-ID: \xff\r\nContent-Length: ${body.length}\r\n`) + body)
    const answer = await response()
    expectInvalid(answer, [{ field: 'X-Request-ID', message: 'must be 1 to 256 printable ASCII characters' }])
    expect(answer.headers['connection']).toBe('close')
    expect(await closed()).toBe('')
    expect(upstream.requests).toHaveLength(0)
  })
})

describe('another expectation', () => {
  it.each(['200-ok', 'x-teapot=1'])('is dropped and the request goes on: %s', async (expectation) => {
    const { port, upstream } = await start()
    const { send, response } = await openConnection(port)
    send(`${request(`Expect: ${expectation}\r\nContent-Length: 5\r\n`)}hello`)
    expect((await response()).status).toBe(200)
    expect(upstream.requests[0]?.body.toString()).toBe('hello')
    expect(upstream.requests[0]?.headers).not.toHaveProperty('expect')
  })
})
