import { headerValues } from '@agentic-rest/testing/send-request'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { startServer } from '@agentic-rest/testing/start-server'
import { describe, expect, it } from 'vitest'
import { expectRefusal } from './harness/expect-outcome.ts'
import type { RawResponse } from './harness/raw-client.ts'
import { openConnection } from './harness/raw-connection.ts'

const allowed = 'https://app.example'
const issuers = [
  {
    issuer: 'http://issuer.test',
    audience: ['agentic'],
    algorithms: ['HS256'],
    hs256_secret: 's'.repeat(32),
  },
]

interface Setting {
  readonly cors?: Record<string, unknown>
  readonly plugins?: Record<string, unknown>
}

/** An upstream with CORS headers of its own, behind a gateway. */
async function start({ cors, plugins = {} }: Setting = {}) {
  const requests: string[] = []
  const upstream = await startServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    response.writeHead(200, {
      'content-type': 'application/json',
      vary: 'Accept-Encoding',
      ...(request.url === '/open' && {
        'access-control-allow-origin': '*',
        'Access-Control-Allow-Credentials': 'true',
        'access-control-expose-headers': 'X-Upstream',
      }),
    })
    response.end('{}')
  })
  const { port } = await startGateway({
    gateway: cors === undefined ? {} : { cors },
    plugins,
    routes: [
      { id: 'read', method: 'GET', path: '/r', target: upstream.url },
      { id: 'write', method: 'POST', path: '/r', target: upstream.url },
      { id: 'open', method: 'GET', path: '/open', target: upstream.url },
      { id: 'options', method: 'OPTIONS', path: '/own', target: upstream.url },
    ],
  })
  const ask = async (line: string, headers: Record<string, string> = {}) => {
    const { send, response } = await openConnection(port)
    const lines = Object.entries({ Host: 'gateway', ...headers }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    )
    send(`${line} HTTP/1.1\r\n${lines.join('')}\r\n`)
    return await response()
  }
  return { ask, requests }
}

const tenant = { 'X-Tenant-ID': 'acme' }
const origins = { cors: { origins: [allowed, 'http://127.0.0.1:8090'] } }

const corsOf = (answer: RawResponse) =>
  Object.fromEntries(Object.entries(answer.headers).filter(([name]) => name.startsWith('access-control-')))

const exposed =
  'X-Agentic-Profile, X-Correlation-ID, X-Request-ID, Idempotency-Replayed, Retry-After, Location, Preference-Applied, RateLimit, RateLimit-Policy, WWW-Authenticate, Mcp-Session-Id'

const granted = {
  'access-control-allow-origin': allowed,
  'access-control-expose-headers': exposed,
}

describe('an answer to an allowed origin', () => {
  it('names that origin, what the page may read, and that it depends on the origin', async () => {
    const { ask } = await start(origins)
    const answer = await ask('GET /r', { ...tenant, Origin: allowed })
    expect(answer.status).toBe(200)
    expect(corsOf(answer)).toEqual(granted)
    expect(headerValues(answer, 'vary')).toEqual(['Accept-Encoding', 'Origin'])
  })

  it('replaces what the upstream says about origins', async () => {
    const { ask } = await start(origins)
    const answer = await ask('GET /open', { ...tenant, Origin: allowed })
    expect(answer.status).toBe(200)
    expect(corsOf(answer)).toEqual(granted)
    expect(headerValues(answer, 'access-control-allow-origin')).toEqual([allowed])
  })

  it.each([
    ['404', 'GET /none', tenant, 404, 'ROUTE_NOT_FOUND'],
    ['405', 'DELETE /r', tenant, 405, 'METHOD_NOT_ALLOWED'],
    ['403', 'GET /r', {}, 403, 'TENANT_REQUIRED'],
  ] as const)(
    'can be read by the page when it is a refusal: %s',
    async (_title, line, headers, status, code) => {
      const { ask, requests } = await start(origins)
      const answer = await ask(line, { ...headers, Origin: allowed })
      expectRefusal(answer, status, code)
      expect(corsOf(answer)).toEqual(granted)
      expect(headerValues(answer, 'vary')).toEqual(['Origin'])
      expect(requests).toEqual([])
    },
  )

  it('can be read by the page when it is a 401 or a 422', async () => {
    const { ask } = await start({ ...origins, plugins: { 'token-validator': { issuers } } })
    const unauthenticated = await ask('GET /r', { Origin: allowed })
    expectRefusal(unauthenticated, 401, 'MISSING_TOKEN')
    expect(corsOf(unauthenticated)).toEqual(granted)
    const invalid = await ask('GET /%00', { Origin: allowed })
    expect(invalid.status).toBe(422)
    expect(corsOf(invalid)).toEqual(granted)
  })

  it('is given by the endpoints of the gateway itself too', async () => {
    const { ask } = await start(origins)
    for (const path of ['/healthz', '/readyz', '/metrics'])
      expect(corsOf(await ask(`GET ${path}`, { Origin: allowed })), path).toEqual(granted)
  })
})

describe('an answer to anybody else', () => {
  it.each([
    ['a foreign origin', 'https://evil.example'],
    ['an origin that only starts the same', `${allowed}.evil.example`],
    ['another scheme', 'http://app.example'],
    ['another port', `${allowed}:8443`],
    ['another case', 'https://APP.example'],
    ['a path behind it', `${allowed}/`],
    ['null', 'null'],
    ['a star', '*'],
    ['an empty origin', ''],
    ['two origins', `${allowed}, https://evil.example`],
  ])('has nothing but the word that it depends on the origin: %s', async (_title, origin) => {
    const { ask } = await start(origins)
    for (const path of ['/r', '/open']) {
      const answer = await ask(`GET ${path}`, { ...tenant, Origin: origin })
      expect(answer.status).toBe(200)
      expect(corsOf(answer), path).toEqual({})
      expect(headerValues(answer, 'vary')).toEqual(['Accept-Encoding', 'Origin'])
    }
  })

  it('has the same word when no origin is sent', async () => {
    const { ask } = await start(origins)
    const answer = await ask('GET /r', tenant)
    expect(corsOf(answer)).toEqual({})
    expect(headerValues(answer, 'vary')).toEqual(['Accept-Encoding', 'Origin'])
  })
})

describe('a preflight', () => {
  const preflight = {
    Origin: allowed,
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'authorization',
  }

  it('is answered before the pipeline, on a route that wants a token', async () => {
    const { ask, requests } = await start({ ...origins, plugins: { 'token-validator': { issuers } } })
    const answer = await ask('OPTIONS /r', { ...preflight, 'X-Correlation-ID': 'c', 'X-Request-ID': 'r' })
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 204, body: '' })
    expect(corsOf(answer)).toEqual({
      ...granted,
      'access-control-allow-methods': 'GET, POST, HEAD',
      'access-control-allow-headers':
        'Authorization, Content-Type, X-Tenant-ID, X-Correlation-ID, X-Request-ID, X-Actor-Principal, Idempotency-Key, X-Approval-Token, traceparent, Accept, Prefer, Last-Event-ID, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name',
      'access-control-max-age': '600',
    })
    expect(headerValues(answer, 'vary')).toEqual(['Origin'])
    expect(headerValues(answer, 'x-agentic-profile')).toEqual(['v0.3'])
    expect(answer.headers).toMatchObject({ 'x-correlation-id': 'c', 'x-request-id': 'r' })
    expect(headerValues(answer, 'content-type')).toEqual([])
    expect(requests).toEqual([])
  })

  it('of a foreign origin is told nothing', async () => {
    const { ask, requests } = await start(origins)
    const answer = await ask('OPTIONS /r', { ...preflight, Origin: 'https://evil.example' })
    expect(answer.status).toBe(204)
    expect(corsOf(answer)).toEqual({})
    expect(headerValues(answer, 'vary')).toEqual(['Origin'])
    expect(requests).toEqual([])
  })

  it.each([
    ['a path that does not exist', '/none', 'PUT', 'PUT'],
    ['a path that is refused', '/a%2fb', 'POST', 'POST'],
    ['a method that the path does not have', '/r', 'DELETE', expect.stringMatching(/\bDELETE$/)],
  ])(
    'for %s is granted, so that the page can read the refusal of its request',
    async (_title, path, wanted, methods) => {
      const { ask, requests } = await start(origins)
      const answer = await ask(`OPTIONS ${path}`, { ...preflight, 'Access-Control-Request-Method': wanted })
      expect(answer.status).toBe(204)
      expect(corsOf(answer)).toMatchObject({
        'access-control-allow-origin': allowed,
        'access-control-allow-methods': methods,
      })
      expect(requests).toEqual([])
    },
  )

  it('does not repeat a method that is none', async () => {
    const { ask } = await start(origins)
    const answer = await ask('OPTIONS /none', { ...preflight, 'Access-Control-Request-Method': 'PUT, X' })
    expect(corsOf(answer)['access-control-allow-methods']).toBe('')
  })

  it('with a bad head is refused for it', async () => {
    const { ask } = await start(origins)
    expect((await ask('OPTIONS /r', { ...preflight, 'X-Request-ID': 'x'.repeat(257) })).status).toBe(422)
  })

  it('is an ordinary request without a method that it asks for', async () => {
    const { ask, requests } = await start(origins)
    expectRefusal(await ask('OPTIONS /r', { Origin: allowed }), 405, 'METHOD_NOT_ALLOWED')
    expect((await ask('OPTIONS /own', { ...tenant, Origin: allowed })).status).toBe(200)
    expect(requests).toEqual(['OPTIONS /own'])
  })
})

describe('without a cors section', () => {
  it('the gateway adds no CORS header to anything', async () => {
    const { ask } = await start()
    for (const [line, headers] of [
      ['GET /r', { ...tenant, Origin: allowed }],
      ['GET /none', { ...tenant, Origin: allowed }],
      ['GET /healthz', { Origin: allowed }],
      ['OPTIONS /none', { Origin: allowed, 'Access-Control-Request-Method': 'GET' }],
    ] as const) {
      const answer = await ask(line, headers)
      expect(corsOf(answer), line).toEqual({})
      expect(headerValues(answer, 'vary').join(), line).not.toContain('Origin')
    }
  })

  it('a preflight is an ordinary request: 405, or the route that serves it', async () => {
    const { ask, requests } = await start()
    const headers = { ...tenant, Origin: allowed, 'Access-Control-Request-Method': 'POST' }
    expectRefusal(await ask('OPTIONS /r', headers), 405, 'METHOD_NOT_ALLOWED')
    expect((await ask('OPTIONS /own', headers)).status).toBe(200)
    expect(requests).toEqual(['OPTIONS /own'])
  })

  it('what the upstream itself says about origins is passed on as it is', async () => {
    const { ask } = await start()
    const answer = await ask('GET /open', { ...tenant, Origin: allowed })
    expect(corsOf(answer)).toEqual({
      'access-control-allow-origin': '*',
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': 'X-Upstream',
    })
  })
})
