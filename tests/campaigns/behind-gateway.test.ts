import { join } from 'node:path'
import { Writable } from 'node:stream'
import { createClient, type OutcomeType } from '@agentic-rest/client'
import { createGateway, createLog, formatFaults, loadConfig } from '@agentic-rest/gateway'
import { createStore } from '@agentic-rest/service'
import { startIssuer } from '@agentic-rest/testing/start-issuer'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { prepareTables } from '../../examples/campaigns/src/tables.ts'
import { startCampaigns } from '../../examples/campaigns/test/harness/start-campaigns.ts'
import { repositoryRoot } from '../../tools/packed-packages.ts'

const store = createStore({ memory: true })
beforeAll(() => prepareTables(store))
afterAll(() => store.close())

/** The service behind a gateway with the configuration of the stack. */
async function startBehindGateway() {
  const service = await startCampaigns({ store, stepMs: 150, forecastDayMs: undefined })
  const issuer = await startIssuer('RS256')
  const loaded = loadConfig(join(repositoryRoot, 'examples/stack/gateway.yaml'), {
    PORT: '0',
    IDENTITY_URL: issuer.url,
    CAMPAIGNS_URL: service.url,
  })
  if (!loaded.ok) throw new Error(formatFaults(loaded.faults))
  // Started without `trust`, the service believes plain headers.
  const { admin: _, identity: __, ...own } = loaded.config.gateway
  const gateway = createGateway({
    config: { ...loaded.config, gateway: own },
    baseFolder: repositoryRoot,
    version: '0.0.0-test',
    stdout: new Writable({ write: (_chunk, _encoding, done) => done() }),
    log: createLog({ level: 'error', pretty: false, write: () => undefined }),
  })
  const baseUrl = `http://127.0.0.1:${await gateway.start()}`
  onTestFinished(async () => {
    await gateway.close()
    await issuer.close()
  })
  const as = async (sub: string, tenant: string, ...roles: string[]) => {
    const token = await issuer.token({ claims: { sub, aud: 'agentic', tenant_id: tenant, roles } })
    return createClient({ baseUrl, token })
  }
  const optimize = (campaignId: string, body: object) =>
    ({ method: 'POST', path: '/campaigns/{campaignId}/optimizations', params: { campaignId }, body }) as const
  return { service, baseUrl, as, optimize }
}

test('all ten outcomes get through, with conformance enforced', async () => {
  const { as, optimize, baseUrl } = await startBehindGateway()
  const [alice, bob, dave] = await Promise.all([
    as('alice', 'acme', 'campaign:optimize'),
    as('bob', 'acme'),
    as('dave', 'acme', 'campaign:approve'),
  ])
  const seen = new Map<OutcomeType, unknown>()
  const see = <Outcome extends { type: OutcomeType }>(outcome: Outcome) => {
    seen.set(outcome.type, 'code' in outcome ? outcome.code : '')
    return outcome
  }
  see(await alice.request(optimize('cmp-123', { goal: 'ctr' })))
  see(await alice.request(optimize('cmp-123', {})))
  see(await alice.request(optimize('cmp-123', { goal: 42 })))
  see(await bob.request(optimize('cmp-123', { goal: 'ctr' })))
  see(await alice.request(optimize('cmp-offline', { goal: 'ctr' })))
  see(await alice.request(optimize('cmp-corrupt', { goal: 'ctr' })))
  const gate = see(await alice.request(optimize('cmp-enterprise', { goal: 'ctr' })))
  const accepted = see(await alice.request({ ...optimize('cmp-123', { goal: 'cpl' }), preferAsync: true }))
  const statusUrl = accepted.type === 'accepted' ? accepted.statusUrl : expect.fail('it has to be accepted')
  const poll = { method: 'GET', path: statusUrl } as const
  const status = () => alice.request<{ progress?: unknown; status: string }>(poll)
  expect(await bob.request(poll)).toMatchObject({ type: 'error', code: 'NOT_FOUND' })
  await expect.poll(async () => see(await status())).toMatchObject({ body: { progress: { steps: 14 } } })
  see(await alice.request(optimize('cmp-123', { goal: 'cpl' })))
  await expect.poll(status).toMatchObject({ body: { status: 'completed', outcome: 'created' } })
  expect(Object.fromEntries(seen)).toEqual({
    success: '',
    created: '',
    accepted: '',
    clarification_required: '',
    validation_failed: '',
    approval_required: '',
    forbidden: 'INSUFFICIENT_ROLES',
    conflict: 'OPTIMIZATION_RUNNING',
    failed_dependency: 'METRICS_UNAVAILABLE',
    error: 'METRICS_UNUSABLE',
  })

  const approvalToken =
    gate.type === 'approval_required' ? gate.approvalToken : expect.fail('it has to be gated')
  const approve = { method: 'POST', path: `${gate.answer.headers.get('location')}/approve` }
  // The gateway replaces the identity headers of alice.
  const claims = {
    'X-Actor-Subject': 'dave',
    'X-Actor-Roles': 'campaign:approve',
    'X-Actor-Principal': 'dave',
  }
  expect(await alice.request({ ...approve, headers: claims })).toMatchObject({ code: 'APPROVAL_OWN_REQUEST' })
  expect(await dave.request(approve)).toMatchObject({ type: 'success', body: { decidedBy: 'dave' } })
  const again = { ...optimize('cmp-enterprise', { goal: 'ctr' }), approvalToken }
  expect(await alice.request(again)).toMatchObject({ type: 'created', body: { status: 'accepted' } })
  expect(await (await fetch(`${baseUrl}/metrics`)).text()).not.toMatch(/^agentic_profile_violations_total\{/m)
})

test('a forecast of a year is ended by the deadline of its route, and the service stops working on it', async () => {
  const { as, service } = await startBehindGateway()
  const bob = await as('bob', 'acme')
  const forecast = { method: 'GET', path: '/campaigns/cmp-123/forecast' }
  expect(await bob.request({ ...forecast, query: { days: 5 } })).toMatchObject({
    type: 'success',
    body: { days: 5 },
  })
  const late = await bob.request({ ...forecast, query: { days: 365 } })
  expect(late).toMatchObject({ type: 'error', code: 'EXECUTION_TIMEOUT' })
  expect(late.answer.status).toBe(500)
  await expect
    .poll(() => service.logged)
    .toContainEqual(expect.objectContaining({ msg: 'the caller left before the answer' }))
})

test('every operation of the service has its route, and carol of globex finds nothing of acme behind any', async () => {
  const { as, service } = await startBehindGateway()
  const carol = await as('carol', 'globex', 'campaign:optimize', 'campaign:approve')
  const { paths } = (await (await fetch(`${service.url}/openapi.json`)).json()) as {
    paths: Record<string, object>
  }
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => ({ method, path })),
  )
  expect(operations).toHaveLength(14)
  for (const { method, path } of operations) {
    const filled = path.replace('{campaignId}', 'cmp-123').replace(/\{\w+\}/, 'x')
    const fields = path.startsWith('/approvals/') ? {} : { goal: 'ctr', name: 'Mine' }
    const body = method === 'post' ? fields : undefined
    const outcome = await carol.request({ method: method.toUpperCase(), path: filled, body })
    if (path === '/approvals') expect(outcome).toMatchObject({ body: { approvals: [] } })
    expect([path, 'code' in outcome ? outcome.code : outcome.type]).toEqual([
      path,
      ({ '/campaigns': 'created', '/approvals': 'success' } as Record<string, string>)[path] ?? 'NOT_FOUND',
    ])
  }
})
