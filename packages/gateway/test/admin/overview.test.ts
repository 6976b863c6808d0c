import { eventually } from '@agentic-rest/testing/eventually'
import { expect, test } from 'vitest'
import { sendItem, startAdmin } from './harness/start-admin.ts'

async function getJson(url: string): Promise<unknown> {
  const response = await fetch(url)
  expect({ status: response.status, type: response.headers.get('content-type') }).toEqual({
    status: 200,
    type: 'application/json',
  })
  return await response.json()
}

test('the gateway describes its version, its file and, in development, its people', async () => {
  const { adminUrl, url } = await startAdmin()
  expect(await getJson(`${adminUrl}/api/gateway`)).toEqual({
    version: '0.0.0-test',
    profile: 'v0.3',
    startedAt: expect.stringMatching(/Z$/),
    gatewayUrl: url,
    development: true,
    signIn: false,
    people: [{ sub: 'alice', tenant: 'acme', roles: ['a'] }],
    user: null,
    streamLimit: 10,
    configuration: {
      file: null,
      loadedAt: expect.stringMatching(/Z$/),
      warnings: [
        'gateway.admin: has no role, so that nobody is let in outside development; name the role that a token needs',
        'plugins.token-validator.mode: is off, every request is accepted without a token',
        'plugins.tenant-injector.trust_header: is everyone, a caller without a tenant claim is let into any tenant that the X-Tenant-ID header names; put a tenant claim into the tokens or ask a directory by webhook',
      ],
      lastReload: null,
    },
  })
})

test('a request is found by its correlation id, with its status and its times', async () => {
  const { adminUrl, url } = await startAdmin()
  await sendItem(url, 'corr-1')
  const found = await eventually(
    () => getJson(`${adminUrl}/api/records?correlation_id=corr-1`) as Promise<{ records: unknown[] }>,
    ({ records }) => records.length === 1,
  )
  expect(found).toEqual({
    correlationId: 'corr-1',
    records: [
      {
        part: 'gateway',
        event_type: 'agentic.request.received',
        tenant_id: 'acme',
        actor_id: '',
        request_id: 'req-corr-1',
        correlation_id: 'corr-1',
        operation: 'read-item',
        resource_id: '1',
        outcome: 'success',
        timestamp: expect.stringMatching(/Z$/),
        attributes: {
          method: 'GET',
          path: '/items/1',
          status: '200',
          client_address: '127.0.0.1',
          upstream: 'read-item',
          outcome_type: 'success',
          outcome_label: 'success',
          started_at: expect.stringMatching(/Z$/),
          duration_ms: expect.stringMatching(/^[\d.]+$/),
          plugin_ms: expect.stringMatching(/^[\d.]+$/),
          upstream_ms: expect.stringMatching(/^[\d.]+$/),
          span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
        },
      },
    ],
  })
  expect(await getJson(`${adminUrl}/api/recent`)).toEqual({
    exchanges: [
      {
        correlationId: 'corr-1',
        at: expect.stringMatching(/Z$/),
        tenant: 'acme',
        requests: [
          {
            requestId: 'req-corr-1',
            method: 'GET',
            path: '/items/1',
            route: 'read-item',
            actor: '',
            tenant: 'acme',
            status: 200,
            outcome: 'success',
            inner: false,
            at: expect.stringMatching(/Z$/),
            lastAt: expect.stringMatching(/Z$/),
            endedAt: expect.stringMatching(/Z$/),
            count: 1,
          },
        ],
        ended: [],
        parts: ['gateway'],
      },
    ],
  })
})

test('development gives out a token, or the reason why not', async () => {
  const { adminUrl } = await startAdmin()
  const ask = async (wish: unknown) => {
    const response = await fetch(`${adminUrl}/api/token`, { method: 'POST', body: JSON.stringify(wish) })
    return { status: response.status, body: await response.json() }
  }
  expect(await ask({ sub: 'alice' })).toEqual({
    status: 200,
    body: { token: 'token-of-alice', expiresAt: '2030-01-01T00:00:00.000Z' },
  })
  expect(await ask({ sub: 'nobody' })).toEqual({
    status: 422,
    body: { code: 'INVALID', message: 'nobody is nobody' },
  })
  for (const wish of [
    {},
    { sub: '' },
    { sub: 1 },
    { sub: 'a', tenant: 1 },
    { sub: 'a', roles: 'x' },
    null,
    [],
  ]) {
    expect(await ask(wish)).toEqual({
      status: 422,
      body: { code: 'INVALID', message: 'The body names nobody: sub, tenant?, roles?.' },
    })
  }
})
