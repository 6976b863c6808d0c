import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { anOptimization, expectAnswer, startCampaigns } from '../harness/start-campaigns.ts'
import { store } from '../harness/store.ts'

const oddIds = [
  '..%2f..%2fetc',
  '%00',
  'cmp-123%0a',
  "cmp-123'%20OR%20'1'='1",
  '__proto__',
  'constructor',
  '%F0%9F%92%A9',
  '%E0%A4%A',
  'CMP-123',
  'cmp-123%20',
  'x'.repeat(5_000),
]

test.each(oddIds)('the campaign %j does not exist, or cannot be a campaign', async (id) => {
  const { get, post, optimize } = await startCampaigns({ store })
  const answers = [
    await get(`/campaigns/${id}`),
    await get(`/campaigns/${id}/forecast`),
    await get(`/campaigns/${id}/optimizations`),
    await get(`/campaigns/cmp-123/optimizations/${id}`),
    await post(`/campaigns/cmp-123/optimizations/${id}/cancel`),
    await optimize(id, 'ctr'),
  ]
  for (const { status, body } of answers) {
    expect([404, 422]).toContain(status)
    expect(['NOT_FOUND', 'VALIDATION_FAILED']).toContain(body['code'])
  }
})

test.each([
  ['no JSON', '{"goal":', 422],
  ['no object', '["ctr"]', 422],
  ['a text', '"ctr"', 422],
  ['deeper than anybody needs', `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`, 422],
  ['a prototype with a goal', '{"__proto__":{"goal":"ctr"}}', 400],
  ['no body at all', '', 400],
])('a body that is %s has no effect', async (_, text, status) => {
  const { post } = await startCampaigns({ store })
  expect(await post('/campaigns/cmp-123/optimizations', { text })).toMatchObject({ status })
})

test('what is not an input is not looked at', async () => {
  const { post } = await startCampaigns({ store })
  const json = { goal: 'ctr', campaignId: 'cmp-900', status: 'completed', suggestions: [1], tenant: 'globex' }
  expectAnswer(await post('/campaigns/cmp-123/optimizations', { json }), 201, anOptimization)
})

const day = { day: '2026-05-04', device: 'mobile', audience: 'all', creative: 'text' }
const counts = {
  impressions: 9,
  reach: 1,
  clicks: 1,
  leads: 1,
  qualifiedLeads: 1,
  conversions: 1,
  spendCents: 1,
}
const row = { ...day, ...counts }

test.each([
  ['name', { name: '' }],
  ['name', { name: 'x'.repeat(201) }],
  ['name', { name: 'a\u0000b' }],
  ['name', { name: 7 }],
  ['monthlyBudget', { name: 'a', monthlyBudget: -1 }],
  ['monthlyBudget', { name: 'a', monthlyBudget: 1.5 }],
  ['monthlyBudget', { name: 'a', monthlyBudget: 1e300 }],
  ['metrics', { name: 'a', metrics: {} }],
  ['metrics', { name: 'a', metrics: Array(5_001).fill(0) }],
  ['metrics.0.day', { name: 'a', metrics: [{ ...row, day: '2026-02-30' }] }],
  ['metrics.0.impressions', { name: 'a', metrics: [{ ...row, impressions: 1e10 }] }],
  ['metrics.0.device', { name: 'a', metrics: [{ ...row, device: '\u0000' }] }],
  ['metrics.0', { name: 'a', metrics: [{ ...row, other: 1 }] }],
])('a campaign with a wrong %s is refused', async (field, json) => {
  const { post } = await startCampaigns({ store })
  const answer = await post('/campaigns', { json })
  expect([answer.status, answer.mediaType]).toEqual([422, 'application/vnd.agentic.validation-error+json'])
  const { errors } = answer.body as { errors: { field: string }[] }
  expect(errors.map((error) => error.field)).toContain(field)
})

test.each([
  ['Row 2 is for the same day and segment as an earlier one.', [row, row]],
  ['Row 1 has more clicks than impressions.', [{ ...row, clicks: 10 }]],
])('rows that contradict each other are asked for again: %s', async (message, metrics) => {
  const { post } = await startCampaigns({ store })
  expect(await post('/campaigns', { json: { name: 'a', metrics } })).toMatchObject({
    status: 400,
    body: { message, requiredInputs: [{ name: 'metrics', question: `${message} What was measured?` }] },
  })
})

test.each(['a\u0000b', 'a\ud800b'])('why a name such as %j is refused is said', async (name) => {
  const { post } = await startCampaigns({ store })
  const { body } = await post('/campaigns', { json: { name } })
  const message = 'has to be 1 to 200 characters, without control characters or half of a surrogate pair'
  expect(body['errors']).toEqual([{ field: 'name', message }])
})

test('a campaign without a name is asked for it', async () => {
  const { post } = await startCampaigns({ store })
  expect(await post('/campaigns', { json: {} })).toMatchObject({
    status: 400,
    body: { requiredInputs: [{ name: 'name', question: 'What is the campaign called?' }] },
  })
})

test('odd names are kept as they are', async () => {
  const { post, get } = await startCampaigns({ store })
  for (const name of ['__proto__', "'; DROP TABLE campaigns; --", '💶 sale', '<b>x</b>']) {
    const { id } = (await post('/campaigns', { json: { name } })).body
    expect((await get(`/campaigns/${id}`)).body['name']).toBe(name)
  }
})

test('one key is one optimization, also for ten requests at once; another request under it is refused', async () => {
  const { optimize, get, post } = await startCampaigns({ store })
  const { id } = (await post('/campaigns', { json: { name: 'Keyed' } })).body as { id: string }
  const headers = { 'idempotency-key': randomUUID() }
  const answers = await Promise.all(Array.from({ length: 10 }, () => optimize(id, 'ctr', { headers })))
  const made = answers.filter(({ status }) => status === 201)
  for (const { status, body } of answers.filter((answer) => !made.includes(answer)))
    expect([status, body['code']]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
  expect(new Set(made.map(({ body }) => body['id'])).size).toBe(1)
  const replayed = await optimize(id, 'ctr', { headers })
  expect(replayed.headers.get('idempotency-replayed')).toBe('true')
  // The stored answer, not the current state of the optimization.
  expectAnswer(replayed, 201, { ...made[0]?.body })
  expect((await optimize(id, 'cpl', { headers })).status).toBe(422)
  expect((await get(`/campaigns/${id}/optimizations`)).body['items']).toHaveLength(1)
  const other = await optimize('cmp-900', 'ctr', { headers, tenant: 'globex' })
  expect([other.status, other.headers.get('idempotency-replayed')]).toEqual([201, null])
})

test('one key is one campaign', async () => {
  const { post } = await startCampaigns({ store })
  const asking = { json: { name: 'Once' }, headers: { 'idempotency-key': randomUUID() } }
  const first = await post('/campaigns', asking)
  expectAnswer(await post('/campaigns', asking), 201, { ...first.body })
})

test("a request without a tenant is nobody's", async () => {
  const { optimize } = await startCampaigns({ store })
  expect(await optimize('cmp-123', 'ctr', { tenant: '' })).toMatchObject({
    status: 403,
    body: { type: 'forbidden', code: 'TENANT_REQUIRED' },
  })
})
