import { freePort } from '@agentic-rest/testing/free-port'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, test } from 'vitest'
import { createLimitStore } from '../../src/limits/policies/create-store.ts'
import { quickTimes } from '../shared-limits/quick-times.ts'
import { startSilentServer } from '../shared-limits/silent-server.ts'

test.each([
  ['that refuses connections', freePort, 'ECONNREFUSED'],
  ['that accepts connections and stays silent', startSilentServer, 'TIMEOUT'],
])('a store %s is the cause in the record', async (_name, portOf, cause) => {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const policy = { name: 'per-tenant', requests: 1, per_seconds: 60, on_store_failure: 'refuse' }
  const { url, audit } = await startGateway(
    {
      gateway: { shared: { redis_url: `redis://127.0.0.1:${await portOf()}` }, rate_limits: [policy] },
      plugins: { 'otel-audit': { include_rejected: true } },
      routes: [{ id: 'items', method: 'GET', path: '/items', target: upstream.url }],
    },
    { limitStore: (world) => createLimitStore({ ...world, times: quickTimes }) },
  )
  const answer = await fetch(`${url}/items`, { headers: { 'X-Tenant-ID': 'acme' } })
  expect([answer.status, await answer.json()]).toEqual([
    424,
    expect.objectContaining({ code: 'STORE_UNAVAILABLE' }),
  ])
  await expect.poll(() => audit).toHaveLength(1)
  expect(audit[0]?.['attributes']).toMatchObject({ code: 'STORE_UNAVAILABLE', rule: 'per-tenant', cause })
})
