import { headerValues } from '@agentic-rest/testing/send-request'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { untilRead } from '@agentic-rest/testing/until-read'
import { describe, expect, it } from 'vitest'
import { expectInvalid, expectRefusal } from './harness/expect-outcome.ts'
import { openConnection } from './harness/raw-connection.ts'

async function start() {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: { ok: true } }))
  const { port, audit, metrics } = await startGateway({
    routes: [
      { id: 'item', method: 'GET', path: '/items/{id}', target: `${upstream.url}/base/` },
      { id: 'secret', method: 'GET', path: '/secret', target: upstream.url },
      { id: 'write', method: 'POST', path: '/items', target: upstream.url },
      { id: 'root', method: 'OPTIONS', path: '/', target: upstream.url },
    ],
  })
  const ask = async (line: string, headers = '', body = '') => {
    const connection = await openConnection(port)
    connection.send(`${line}\r\nHost: gateway\r\nX-Tenant-ID: acme\r\n${headers}\r\n${body}`)
    return { connection, answer: await connection.response() }
  }
  return { upstream, port, audit, metrics, ask }
}

describe('a path', () => {
  it.each([
    ['/items/1', '/base/items/1', '1'],
    ['/items/1/', '/base/items/1', '1'],
    ['/%69tems/%31', '/base/items/1', '1'],
    ['/items/a%2Eb', '/base/items/a.b', 'a.b'],
    ['/items/%c3%a9', '/base/items/%C3%A9', 'é'],
    ['/items/a%3bb%252F', '/base/items/a%3Bb%252F', 'a;b%2F'],
    ['/items/{1}', '/base/items/%7B1%7D', '{1}'],
    ['/items/__proto__', '/base/items/__proto__', '__proto__'],
    ['/items/constructor', '/base/items/constructor', 'constructor'],
  ])('is matched and forwarded in one form: %s', async (sent, forwarded, resource) => {
    const { ask, upstream, audit } = await start()
    const { answer } = await ask(`GET ${sent} HTTP/1.1`)
    expect(answer.status).toBe(200)
    expect(upstream.requests.map(({ url }) => url)).toEqual([forwarded])
    await expect.poll(() => audit.length).toBe(1)
    expect(audit[0]).toMatchObject({ operation: 'item', resource_id: resource })
  })

  it.each([
    ['/items/../secret', 'must not have a dot segment'],
    ['/items/%2e%2e/secret', 'must not have a dot segment'],
    ['/items/.%2E/secret', 'must not have a dot segment'],
    ['/items/./1', 'must not have a dot segment'],
    ['/items/..%2fsecret', 'must not have an encoded slash or backslash'],
    ['/items/a%5Cb', 'must not have an encoded slash or backslash'],
    ['/items\\1', 'must not have a backslash'],
    ['/items/%00', 'must not have a control character'],
    ['/items/%0d%0aX-Tenant-ID:globex', 'must not have a control character'],
    ['//items/1', 'must not have an empty segment'],
    ['/items//1', 'must not have an empty segment'],
    ['//gateway/items/1', 'must not have an empty segment'],
    ['/items/1#a', 'must not have a fragment'],
    ['/items/%zz', 'has a percent-encoding that is not UTF-8'],
    ['/items/%ff', 'has a percent-encoding that is not UTF-8'],
    ['/items/%c0%ae', 'has a percent-encoding that is not UTF-8'],
  ])('that two servers could read in two ways is refused by name: %s', async (path, message) => {
    const { ask, upstream } = await start()
    const { answer } = await ask(`GET ${path} HTTP/1.1`, 'X-Correlation-ID: c\r\nX-Request-ID: r\r\n')
    expectInvalid(answer, [{ field: 'path', message }])
    expect(answer.headers).toMatchObject({ 'x-correlation-id': 'c', 'x-request-id': 'r' })
    expect(upstream.requests).toHaveLength(0)
  })

  it('that is refused does not pass as a path of the gateway itself', async () => {
    const { ask } = await start()
    const { answer } = await ask('GET /items/../metrics HTTP/1.1')
    expectInvalid(answer, [{ field: 'path', message: 'must not have a dot segment' }])
  })
})

describe('a query', () => {
  it.each([
    '?',
    '?a=1&a=2&b',
    '?a=%2F..%2f&b=%zz&c=%00',
    '?/../x//y?z',
    '?a="<>[]{}|\\^`',
    '?__proto__=1&constructor=2&__proto__[x]=3',
    '?q=+%20;,',
  ])('is forwarded byte for byte: %s', async (query) => {
    const { ask, upstream } = await start()
    const { answer } = await ask(`GET /items/1${query} HTTP/1.1`)
    expect(answer.status).toBe(200)
    expect(upstream.requests.map(({ url }) => url)).toEqual([`/base/items/1${query}`])
  })
})

describe('a target in absolute form', () => {
  it('is served for the host of the Host header, and the upstream gets a path', async () => {
    const { ask, upstream } = await start()
    const { answer } = await ask('GET http://Gateway/items/1?a=1 HTTP/1.1')
    expect(answer.status).toBe(200)
    expect(upstream.requests.map(({ url }) => url)).toEqual(['/base/items/1?a=1'])
    expect(upstream.requests[0]?.headers['x-forwarded-host']).toBe('gateway')
  })

  it.each([
    'http://other/items/1',
    'http://gateway:1/items/1',
    'http://a@gateway/items/1',
    'http://[::1]/items/1',
  ])('is refused for another host: %s', async (target) => {
    const { ask, upstream } = await start()
    const { answer } = await ask(`GET ${target} HTTP/1.1`)
    expectInvalid(answer, [{ field: 'path', message: 'names another host than the Host header' }])
    expect(upstream.requests).toHaveLength(0)
  })

  it('is refused for another scheme', async () => {
    const { ask, upstream } = await start()
    const { answer } = await ask('GET ftp://gateway/items/1 HTTP/1.1')
    expectInvalid(answer, [{ field: 'path', message: 'must start with a slash' }])
    expect(upstream.requests).toHaveLength(0)
  })
})

describe('the target *', () => {
  it('is refused, because it names no resource', async () => {
    const { ask, upstream } = await start()
    const { answer } = await ask('OPTIONS * HTTP/1.1')
    expectInvalid(answer, [{ field: 'path', message: 'must start with a slash' }])
    expect(upstream.requests).toHaveLength(0)
  })
})

describe('CONNECT', () => {
  it.each(['upstream:443', '127.0.0.1:22', 'gateway:80'])(
    'is a typed 405 and the end of the connection: there is nothing to tunnel to (%s)',
    async (target) => {
      const { ask, upstream, metrics } = await start()
      const { answer, connection } = await ask(
        `CONNECT ${target} HTTP/1.1`,
        'X-Correlation-ID: c\r\nX-Request-ID: r\r\n',
      )
      expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED')
      expect(headerValues(answer, 'allow')).toEqual([''])
      expect(answer.headers).toMatchObject({
        connection: 'close',
        'x-correlation-id': 'c',
        'x-request-id': 'r',
      })
      connection.send('GET /items/1 HTTP/1.1\r\nHost: gateway\r\nX-Tenant-ID: acme\r\n\r\n')
      expect(await connection.closed()).toBe('')
      expect(upstream.requests).toHaveLength(0)
      expect(await metrics()).toContain(
        'agentic_requests_total{route="unmatched",outcome="method_not_allowed",tenant_id=""} 1',
      )
    },
  )

  it.each([
    ['is awaited', 'GET /slow HTTP/1.1\r\nHost: gateway\r\nX-Tenant-ID: acme\r\n\r\n', true],
    ['has just been given', 'GET /healthz HTTP/1.1\r\nHost: gateway\r\n\r\n', true],
    ['is that of the parser', 'GET /healthz HTTP/1.1\r\n\r\n', false],
  ])(
    'behind a request whose answer %s is refused after that answer, ends the connection and leaves the gateway alive',
    async (_title, before, isReadable) => {
      const upstream = await startUpstream(async (_request, response) => {
        await untilRead(port)
        answerJson(response, { body: { late: true } })
      })
      const { port } = await startGateway({
        routes: [{ id: 'slow', method: 'GET', path: '/slow', target: upstream.url }],
      })
      const { send, closed } = await openConnection(port)
      send(`${before}CONNECT a:1 HTTP/1.1\r\nHost: gateway\r\n\r\n`)
      const text = await closed()
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status)
      expect(statuses).toEqual(isReadable ? ['200', '405'] : ['400'])
      if (before.includes('/slow')) expect(text).toContain('{"late":true}')
      const after = await openConnection(port)
      after.send('GET /healthz HTTP/1.1\r\nHost: gateway\r\n\r\n')
      expect((await after.response()).body).toBe('{"status":"ok"}')
    },
  )
})

describe('TRACE', () => {
  it('is 405 where there is a path and 404 where there is none, and echoes nothing', async () => {
    const { ask, upstream } = await start()
    const known = await ask('TRACE /items/1 HTTP/1.1', 'X-Secret: s3cret\r\n')
    expectRefusal(known.answer, 405, 'METHOD_NOT_ALLOWED')
    expect(headerValues(known.answer, 'allow')).toEqual(['GET, HEAD'])
    expect(JSON.stringify(known.answer)).not.toContain('s3cret')
    const unknown = await ask('TRACE /none HTTP/1.1')
    expectRefusal(unknown.answer, 404, 'ROUTE_NOT_FOUND')
    expect(upstream.requests).toHaveLength(0)
  })
})

describe('a request to upgrade', () => {
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n'

  it.each([
    ['websocket', upgrade],
    ['h2c', 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n'],
  ])('is answered as the request it is, and ends its connection: %s', async (_title, headers) => {
    const { ask, upstream } = await start()
    const { answer, connection } = await ask('GET /items/1 HTTP/1.1', headers)
    expect(answer).toMatchObject({ status: 200, body: '{"ok":true}' })
    expect(upstream.requests[0]?.headers).not.toHaveProperty('upgrade')
    expect(upstream.requests[0]?.headers).not.toHaveProperty('http2-settings')
    expect(upstream.requests[0]?.headers.connection).toBe('keep-alive')
    expect(answer.headers['connection']).toBe('close')
    expect(await connection.closed()).toBe('')
  })

  it('keeps its body', async () => {
    const { ask, upstream } = await start()
    const { answer } = await ask('POST /items HTTP/1.1', `${upgrade}Content-Length: 5\r\n`, 'hello')
    expect(answer.status).toBe(200)
    expect(upstream.requests[0]?.body.toString()).toBe('hello')
  })
})
