import { once } from 'node:events'
import { eventually } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { printedSeed, seededRandom } from '@agentic-rest/testing/seeded-random'
import { startGateway, type TestGateway } from '@agentic-rest/testing/start-gateway'
import { type IssuerServer, startIssuer } from '@agentic-rest/testing/start-issuer'
import { startServer } from '@agentic-rest/testing/start-server'
import { answerJson, startUpstream, type TestUpstream } from '@agentic-rest/testing/start-upstream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openSocket } from './harness/raw-client.ts'

interface World extends TestGateway {
  readonly issuer: IssuerServer
  readonly upstream: TestUpstream
  ask(token: string | undefined, headers?: Record<string, string>): Promise<Response>
}

const claims = { sub: 'alice', aud: 'agentic', tenant_id: 'acme', roles: ['campaign:optimize', 'x'] }

async function startWorld(plugins: Record<string, unknown> = {}, more: object = {}): Promise<World> {
  const issuer = await startIssuer('RS256')
  onTestFinished(() => issuer.close())
  const upstream = await startUpstream((request, response) =>
    answerJson(response, {
      status: 201,
      body: { saw: request.body.toString(), tenant: request.headers['x-tenant-id'] },
    }),
  )
  const gateway = await startGateway({
    plugins: {
      'token-validator': {
        issuers: [
          { issuer: issuer.url, jwks_uri: issuer.jwksUri, audience: ['agentic'], algorithms: ['RS256'] },
        ],
      },
      'license-check': { tenants: { acme: { features: ['optimize'] }, globex: { features: ['optimize'] } } },
      'otel-audit': { attributes: [{ field: 'region', from_header: 'X-Region' }] },
      ...plugins,
    },
    routes: [
      {
        id: 'create-optimization',
        method: 'POST',
        path: '/campaigns/{campaignId}/optimizations',
        target: upstream.url,
        roles: ['campaign:optimize'],
        license: 'optimize',
        conformance: 'enforce',
        ...more,
      },
    ],
  })
  const ask: World['ask'] = (token, headers = {}) =>
    fetch(`${gateway.url}/campaigns/cmp-1/optimizations`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-Correlation-ID': 'c-1',
        'X-Request-ID': 'r-1',
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...headers,
      },
      body: '{"goal":"ctr"}',
    })
  return { ...gateway, issuer, upstream, ask }
}

describe('with every plugin at work', () => {
  it('a request with a valid token reaches the service with who, for whom and which', async () => {
    const world = await startWorld()
    const token = await world.issuer.token({ claims })
    const response = await world.ask(token, { 'X-Region': 'eu' })
    expect(response.status).toBe(201)
    expect(response.headers.get('x-agentic-profile')).toBe('v0.3')
    expect(await response.json()).toEqual({ saw: '{"goal":"ctr"}', tenant: 'acme' })
    const [seen] = world.upstream.requests
    expect(seen?.headers).toMatchObject({
      'x-tenant-id': 'acme',
      'x-actor-principal': 'alice',
      'x-actor-subject': 'alice',
      'x-actor-roles': 'campaign:optimize,x',
      'x-correlation-id': 'c-1',
      'x-request-id': 'r-1',
      authorization: `Bearer ${token}`,
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
    })
    expect(seen?.headers['traceparent']).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
    const [record] = await eventually(
      () => world.audit,
      (audit) => audit.length === 1,
    )
    expect(record).toEqual({
      level: 'INFO',
      msg: 'agentic.request',
      event_type: 'agentic.request.received',
      tenant_id: 'acme',
      actor_id: 'alice',
      request_id: 'r-1',
      correlation_id: 'c-1',
      operation: 'create-optimization',
      resource_id: 'cmp-1',
      outcome: 'success',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      attributes: {
        region: 'eu',
        outcome_type: 'created',
        issuer: world.issuer.url,
        token_sub: 'alice',
        status: '201',
        client_address: '127.0.0.1',
        upstream: 'create-optimization',
      },
    })
  })

  it.each([
    ['no token', undefined, {}, 401, 'MISSING_TOKEN', 'invalid_request'],
    ['an expired one', { exp: 1 }, {}, 401, 'TOKEN_EXPIRED', 'invalid_token'],
    ['another audience', { aud: 'other' }, {}, 401, 'AUDIENCE_MISMATCH', 'invalid_token'],
    ['a missing role', { roles: ['x'] }, {}, 403, 'INSUFFICIENT_ROLES', undefined],
    ['a tenant of somebody else', {}, { 'X-Tenant-ID': 'globex' }, 403, 'TENANT_MISMATCH', undefined],
    ['no tenant', { tenant_id: undefined }, {}, 403, 'TENANT_REQUIRED', undefined],
    [
      'a tenant in the header alone',
      { tenant_id: undefined },
      { 'X-Tenant-ID': 'acme' },
      403,
      'TENANT_REQUIRED',
      undefined,
    ],
    ['a tenant without licence', { tenant_id: 'initech' }, {}, 403, 'LICENSE_REQUIRED', undefined],
  ] as const)(
    'a request with %s is refused and never forwarded',
    async (_title, change, headers, status, code, challenge) => {
      const world = await startWorld()
      const token = change && (await world.issuer.token({ claims: { ...claims, ...change } }))
      const response = await world.ask(token, headers)
      expect(response.status).toBe(status)
      expect(response.headers.get('content-type')).toBe('application/vnd.agentic.error+json')
      expect(response.headers.get('x-agentic-profile')).toBe('v0.3')
      expect(response.headers.get('www-authenticate')).toBe(
        challenge === undefined ? null : `Bearer realm="agentic", error="${challenge}"`,
      )
      expect(await response.json()).toEqual({
        type: status === 401 ? 'error' : 'forbidden',
        code,
        message: expect.any(String),
        trace: { correlationId: 'c-1', requestId: 'r-1' },
      })
      expect(world.upstream.requests).toEqual([])
      expect(world.audit).toEqual([])
      const outcome = status === 401 ? 'unauthenticated' : 'forbidden'
      expect(
        metricValue(await world.metrics(), 'agentic_requests_total', {
          route: 'create-optimization',
          outcome,
        }),
      ).toBe(1)
    },
  )

  it('the tenant may also come from the header when the token has none and the file trusts everyone', async () => {
    const world = await startWorld({ 'tenant-injector': { trust_header: 'everyone', allowed: ['acme'] } })
    const token = await world.issuer.token({ claims: { ...claims, tenant_id: undefined } })
    expect((await world.ask(token, { 'X-Tenant-ID': 'acme' })).status).toBe(201)
    expect((await world.ask(token, { 'X-Tenant-ID': 'globex' })).status).toBe(403)
  })

  it('an issuer that is down is told by /readyz without failing it, and a cold one is a failed dependency', async () => {
    const world = await startWorld({
      'token-validator': {
        issuers: [
          { issuer: 'http://127.0.0.1:9', jwks_uri: 'http://127.0.0.1:9/jwks', audience: ['agentic'] },
        ],
      },
    })
    const ready = await eventually(
      async () =>
        (await fetch(`${world.url}/readyz`)).json() as Promise<{ status: string; degraded: string[] }>,
      ({ degraded }) => degraded.length > 0,
    )
    expect(ready).toEqual({
      status: 'ready',
      degraded: ['token-validator: no fresh keys of issuers[0]'],
    })
    const token = await world.issuer.token({ claims: { ...claims, iss: 'http://127.0.0.1:9' } })
    const response = await world.ask(token)
    expect(response.status).toBe(424)
    expect(await response.json()).toMatchObject({ type: 'failed_dependency', code: 'JWKS_UNAVAILABLE' })
    expect(world.upstream.requests).toEqual([])
  })
})

describe('a client that leaves while a plugin waits', () => {
  it('ends the request there: nothing is forwarded and nothing is kept', async () => {
    let asked = 0
    const directory = await startServer(() => {
      asked += 1
    })
    const world = await startWorld({
      'tenant-injector': { webhook: { url: `${directory.url}/{principal}`, timeout_ms: 60_000 } },
    })
    const token = await world.issuer.token({ claims })
    const socket = await openSocket(world.port)
    socket.write(
      `POST /campaigns/c/optimizations HTTP/1.1\r\nHost: g\r\nAuthorization: Bearer ${token}\r\nContent-Length: 2\r\n\r\n{}`,
    )
    await eventually(
      () => asked,
      (count) => count === 1,
    )
    socket.destroy()
    const scrape = await eventually(world.metrics, (text) => text.includes('outcome="client_disconnect"'))
    expect(metricValue(scrape, 'agentic_gateway_requests_in_flight')).toBe(0)
    expect(world.upstream.requests).toEqual([])
  })

  it('and a deadline ends it too', async () => {
    const directory = await startServer(() => undefined)
    const world = await startWorld(
      { 'tenant-injector': { webhook: { url: `${directory.url}/{principal}`, timeout_ms: 60_000 } } },
      { executionTimeoutSeconds: 1 },
    )
    const response = await world.ask(await world.issuer.token({ claims }))
    expect(response.status).toBe(500)
    expect(await response.json()).toMatchObject({ code: 'EXECUTION_TIMEOUT' })
  })
})

describe('parallel tenants', () => {
  it('never see each other in any body, header or record, whatever is aborted in between', async () => {
    const world = await startWorld({ 'license-check': { tenants: {} } }, { license: undefined })
    const tokens = new Map<string, string>()
    for (let index = 0; index < 20; index += 1)
      tokens.set(
        `t${index}`,
        await world.issuer.token({ claims: { ...claims, sub: `u${index}`, tenant_id: `t${index}` } }),
      )
    const random = seededRandom(printedSeed('parallel tenants'))
    const outcomes = await Promise.all(
      Array.from({ length: 400 }, async (_, index) => {
        const tenant = `t${index % 20}`
        const aborter = new AbortController()
        // Wait: clients leave at random moments.
        if (random() < 0.3) setTimeout(() => aborter.abort(), random() * 30)
        try {
          const response = await fetch(`${world.url}/campaigns/${tenant}/optimizations`, {
            method: 'POST',
            signal: aborter.signal,
            headers: { Authorization: `Bearer ${tokens.get(tenant)}`, 'X-Request-ID': `r-${index}` },
            body: tenant,
          })
          const body = (await response.json()) as { saw: string; tenant: string }
          expect([body.saw, body.tenant, response.headers.get('x-request-id')]).toEqual([
            tenant,
            tenant,
            `r-${index}`,
          ])
          return 'answered'
        } catch (error) {
          if (!aborter.signal.aborted) throw error
          return 'aborted'
        }
      }),
    )
    expect(outcomes.filter((outcome) => outcome === 'answered').length).toBeGreaterThan(100)
    for (const { headers, body } of world.upstream.requests) {
      const tenant = body.toString()
      expect([headers['x-tenant-id'], headers['x-actor-subject']]).toEqual([tenant, `u${tenant.slice(1)}`])
    }
    for (const record of world.audit) {
      expect([record['resource_id'], record['actor_id']]).toEqual([
        record['tenant_id'],
        `u${String(record['tenant_id']).slice(1)}`,
      ])
    }
  })
})

it('answers on a connection that carried another tenant a moment ago', async () => {
  const world = await startWorld()
  const [a, b] = await Promise.all(
    ['acme', 'globex'].map((tenant_id) => world.issuer.token({ claims: { ...claims, tenant_id } })),
  )
  const request = (token: string | undefined) =>
    `POST /campaigns/c/optimizations HTTP/1.1\r\nHost: g\r\nAuthorization: Bearer ${token}\r\nContent-Length: 2\r\n\r\n{}`
  const socket = await openSocket(world.port)
  let text = ''
  socket.on('data', (chunk) => (text += chunk))
  socket.write(request(a) + request(b))
  while (text.split('HTTP/1.1 201').length < 3) await once(socket, 'data')
  expect(text.indexOf('"tenant":"acme"')).toBeLessThan(text.indexOf('"tenant":"globex"'))
  expect(text).toContain('"tenant":"globex"')
})
