import { expect, test } from 'vitest'
import {
  type Answer,
  anOptimization,
  expectAnswer,
  type RunningCampaigns,
  startCampaigns,
} from '../harness/start-campaigns.ts'
import { store } from '../harness/store.ts'

const dave = { subject: 'dave', roles: 'campaign:approve' }
const withToken = (token: unknown) => ({ headers: { 'x-approval-token': String(token) } })

/** Sends a request as alice; returns the address and the token of the approval. */
async function ask(service: RunningCampaigns, goal: string) {
  const asked = await service.optimize('cmp-enterprise', goal)
  const message = `Optimize cmp-enterprise for ${goal}? It spends 250000 a month; above 50000 this has to be approved.`
  expectAnswer(asked, 412, {
    type: 'approval_required',
    code: 'APPROVAL_REQUIRED',
    message,
    approvalToken: expect.any(String),
    approver: { name: 'Campaign approvals' },
  })
  const path = asked.headers.get('location') ?? ''
  expect((await service.get(path)).body).toMatchObject({ state: 'pending', requester: 'alice', message })
  return { path, token: asked.body['approvalToken'] }
}

function expectForbidden(answer: Answer, code: string): void {
  expectAnswer(answer, 403, { type: 'forbidden', code, message: expect.any(String) })
}

test('approval_required: dave approves, alice proceeds once, and nothing was done before', async () => {
  const service = await startCampaigns({ store })
  const { path, token } = await ask(service, 'ctr')
  expect((await service.optimize('cmp-enterprise', 'ctr', withToken(token))).status).toBe(412)
  expect((await service.get('/campaigns/cmp-enterprise/optimizations')).body).toEqual({
    items: [],
    next: null,
  })
  expect(await service.post(`${path}/approve`, dave)).toMatchObject({
    status: 200,
    body: { state: 'approved' },
  })
  const made = await service.optimize('cmp-enterprise', 'ctr', withToken(token))
  expectAnswer(made, 201, { ...anOptimization, campaignId: 'cmp-enterprise' })
  expectForbidden(await service.optimize('cmp-enterprise', 'ctr', withToken(token)), 'APPROVAL_INVALID')
  expect((await service.get(path)).body).toMatchObject({ state: 'used', decidedBy: 'dave' })
})

test('the requester cannot approve, whatever roles and names are sent', async () => {
  const service = await startCampaigns({ store })
  const { path, token } = await ask(service, 'reach')
  for (const headers of [{}, { 'x-actor-principal': 'dave' }, { 'x-approval-token': String(token) }]) {
    const answer = await service.post(`${path}/approve`, { ...dave, subject: 'alice', headers })
    expectForbidden(answer, 'APPROVAL_OWN_REQUEST')
  }
  expectForbidden(await service.post(`${path}/approve`, { subject: 'bob' }), 'INSUFFICIENT_ROLES')
  expect((await service.post(`${path}/approve`, { ...dave, tenant: 'globex' })).status).toBe(404)
  expect((await service.optimize('cmp-enterprise', 'reach', withToken(token))).status).toBe(412)
})

test('a token is for one goal, one requester and one tenant, and a refused attempt does not burn it', async () => {
  const service = await startCampaigns({ store })
  const { path, token } = await ask(service, 'cpl')
  await service.post(`${path}/approve`, dave)
  expectForbidden(await service.optimize('cmp-enterprise', 'ctr', withToken(token)), 'APPROVAL_INVALID')
  const asBob = { ...withToken(token), subject: 'bob' }
  expectForbidden(await service.optimize('cmp-enterprise', 'cpl', asBob), 'APPROVAL_INVALID')
  expect((await service.optimize('cmp-enterprise', 'cpl', withToken(token))).status).toBe(201)
})

test('what was rejected stays so', async () => {
  const service = await startCampaigns({ store })
  const { path, token } = await ask(service, 'lead_quality')
  expect((await service.post(`${path}/reject`, dave)).body).toMatchObject({ state: 'rejected' })
  expectForbidden(
    await service.optimize('cmp-enterprise', 'lead_quality', withToken(token)),
    'APPROVAL_INVALID',
  )
})

test('in the background an approval is used up by the result', async () => {
  const service = await startCampaigns({ store })
  const { path, token } = await ask(service, 'conversions')
  await service.post(`${path}/approve`, dave)
  const headers = { ...withToken(token).headers, prefer: 'respond-async' }
  const operation = await service.optimize('cmp-enterprise', 'conversions', { headers })
  expect(operation.status).toBe(202)
  const ended = await service.statusWhen(operation, ({ status }) => status !== 'working')
  expect(ended).toMatchObject({ status: 'completed', outcome: 'created', result: { status: 'completed' } })
  expect((await service.get(path)).body).toMatchObject({ state: 'used' })
})

test('a conflict leaves the approval for the next attempt', async () => {
  const service = await startCampaigns({ store, stepMs: 150 })
  const first = await ask(service, 'conversion_rate')
  await service.post(`${first.path}/approve`, dave)
  const bob = { subject: 'bob' }
  const asked = await service.optimize('cmp-enterprise', 'conversion_rate', bob)
  await service.post(`${asked.headers.get('location')}/approve`, dave)
  const asBob = { ...bob, ...withToken(asked.body['approvalToken']) }
  const headers = { ...withToken(first.token).headers, prefer: 'respond-async' }
  const operation = await service.optimize('cmp-enterprise', 'conversion_rate', { headers })
  expect((await service.optimize('cmp-enterprise', 'conversion_rate', asBob)).status).toBe(409)
  await service.statusWhen(operation, ({ status }) => status === 'completed')
  expect((await service.optimize('cmp-enterprise', 'conversion_rate', asBob)).status).toBe(201)
})

test('nobody is asked to approve what cannot be done now', async () => {
  const service = await startCampaigns({ store, stepMs: 60_000 })
  const { path, token } = await ask(service, 'ctr')
  await service.post(`${path}/approve`, dave)
  const headers = { prefer: 'respond-async' }
  const operation = await service.optimize('cmp-enterprise', 'ctr', {
    headers: { ...headers, ...withToken(token).headers },
  })
  expect(operation.status).toBe(202)
  for (const asking of [{}, { headers }, { subject: 'bob' }])
    expect((await service.optimize('cmp-enterprise', 'ctr', asking)).body).toMatchObject({
      type: 'conflict',
      code: 'OPTIMIZATION_RUNNING',
    })
  await service.post(String(operation.body['statusUrl']).replace(/status$/, 'cancel'))
})

test("a campaign of one's own needs approvals when it may spend more than the threshold", async () => {
  const service = await startCampaigns({ store })
  for (const [monthlyBudget, status] of [
    [50_000, 201],
    [50_001, 412],
  ]) {
    const made = await service.post('/campaigns', { json: { name: 'Mine', monthlyBudget } })
    expect((await service.optimize(String(made.body['id']), 'ctr')).status).toBe(status)
  }
})
