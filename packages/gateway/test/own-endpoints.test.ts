import { headerValues } from '@agentic-rest/testing/send-request'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { describe, expect, it } from 'vitest'
import { expectInvalid, expectRefusal } from './harness/expect-outcome.ts'
import { openConnection } from './harness/raw-connection.ts'

const issuers = [
  {
    issuer: 'http://issuer.test',
    audience: ['agentic'],
    algorithms: ['HS256'],
    hs256_secret: 's'.repeat(32),
  },
]

/** A gateway that wants a token on every route, with a route that would take any one-segment path. */
async function start() {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: { ok: true } }))
  const { port, audit } = await startGateway({
    plugins: { 'token-validator': { issuers } },
    routes: [
      { id: 'any', method: 'GET', path: '/{any}', target: upstream.url },
      { id: 'any-post', method: 'POST', path: '/{any}', target: upstream.url },
    ],
  })
  const { send, response } = await openConnection(port)
  const ask = async (line: string, headers = '', body = '') => {
    send(`${line} HTTP/1.1\r\nHost: gateway\r\n${headers}\r\n${body}`)
    return await response({ bodyless: line.startsWith('HEAD') })
  }
  return { ask, upstream, audit }
}

const ids = 'X-Correlation-ID: c\r\nX-Request-ID: r\r\n'
const bodies: Readonly<Record<string, [string, string]>> = {
  '/healthz': ['application/json', '{"status":"ok"}'],
  '/readyz': ['application/json', '{"status":"ready","degraded":[]}'],
}

describe('the endpoints of the gateway itself', () => {
  it.each(Object.entries(bodies))(
    '%s answers without a token, before any route',
    async (path, [type, body]) => {
      const { ask, upstream, audit } = await start()
      const answer = await ask(`GET ${path}`, ids)
      expect({ status: answer.status, type: answer.headers['content-type'], body: answer.body }).toEqual({
        status: 200,
        type,
        body,
      })
      expect(headerValues(answer, 'x-agentic-profile')).toEqual(['v0.3'])
      expect(headerValues(answer, 'x-correlation-id')).toEqual(['c'])
      expect(headerValues(answer, 'x-request-id')).toEqual(['r'])
      expect(headerValues(answer, 'cache-control')).toEqual(['no-store'])
      expect(headerValues(answer, 'content-length')).toEqual([String(body.length)])
      expect(upstream.requests).toHaveLength(0)
      expect(audit).toHaveLength(0)
    },
  )

  it('/metrics answers without a token in the text exposition format', async () => {
    const { ask, upstream } = await start()
    const answer = await ask('GET /metrics', ids)
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(answer.body).toContain('# TYPE agentic_requests_total counter\n')
    expect(headerValues(answer, 'x-agentic-profile')).toEqual(['v0.3'])
    expect(headerValues(answer, 'x-correlation-id')).toEqual(['c'])
    expect(headerValues(answer, 'cache-control')).toEqual(['no-store'])
    expect(upstream.requests).toHaveLength(0)
  })

  it('do not count themselves', async () => {
    const { ask } = await start()
    for (const path of ['/healthz', '/readyz', '/metrics', '/metrics']) await ask(`GET ${path}`)
    expect((await ask('GET /metrics')).body).not.toMatch(/^agentic_requests_total\{/m)
  })

  it.each(['/healthz', '/readyz', '/metrics'])('%s answers HEAD with the head alone', async (path) => {
    const { ask } = await start()
    const head = await ask(`HEAD ${path}`)
    expect({ status: head.status, body: head.body }).toEqual({ status: 200, body: '' })
    expect(Number(head.headers['content-length'])).toBeGreaterThan(0)
    expect((await ask('GET /healthz')).body).toBe('{"status":"ok"}')
  })

  it.each(['/healthz', '/readyz', '/metrics'])(
    '%s takes no other method, whatever routes there are',
    async (path) => {
      const { ask, upstream } = await start()
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PATCH']) {
        const body = method === 'TRACE' ? '' : 'hello'
        const answer = await ask(`${method} ${path}`, `Content-Length: ${body.length}\r\n`, body)
        expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED')
        expect(headerValues(answer, 'allow')).toEqual(['GET, HEAD'])
      }
      expect(upstream.requests).toHaveLength(0)
    },
  )

  it('are found with a slash at the end, a query and an encoded letter', async () => {
    const { ask } = await start()
    for (const path of ['/healthz/', '/healthz?probe=1', '/%68ealthz'])
      expect((await ask(`GET ${path}`)).body, path).toBe('{"status":"ok"}')
  })

  it('refuse a bad head like any other path', async () => {
    const { ask } = await start()
    expectInvalid(await ask('GET /healthz', 'X-Request-ID: a\r\nX-Request-ID: b\r\n'), [
      { field: 'X-Request-ID', message: 'is sent more than once' },
    ])
  })

  it('are those three and nothing below them', async () => {
    const { ask } = await start()
    for (const path of ['/healthz/x', '/metrics/x', '/readyz/x'])
      expectRefusal(await ask(`GET ${path}`), 404, 'ROUTE_NOT_FOUND')
    expectRefusal(await ask('GET /Healthz'), 401, 'MISSING_TOKEN')
  })
})
