import { startServer } from '@agentic-rest/testing/start-server'
import { expect, test } from 'vitest'
import { anOptimization, expectAnswer, expectNotFound, startCampaigns } from '../harness/start-campaigns.ts'
import { store } from '../harness/store.ts'

test('created and success: the answer is the optimization as it was accepted, reading shows that it has ended', async () => {
  const { optimize, get, records } = await startCampaigns({ store })
  const made = await optimize('cmp-123', 'ctr')
  expectAnswer(made, 201, anOptimization)
  const { suggestions, id } = made.body as { suggestions: object[]; id: string }
  expect(suggestions).toEqual(
    ['creative_rotation', 'audience_refinement', 'bid_adjustment', 'budget_shift'].map((type) => ({
      type,
      description: expect.any(String),
      estimatedCtrLift: expect.any(Number),
    })),
  )
  expect(made.headers.get('location')).toBe(`/campaigns/cmp-123/optimizations/${id}`)
  const read = await get(`/campaigns/cmp-123/optimizations/${id}`)
  expectAnswer(read, 200, { ...made.body, status: 'completed' })
  expect(records).toMatchObject([
    { operation: 'create-optimization', outcome: 'created', attributes: { goal: 'ctr' }, tenant_id: 'acme' },
    { operation: 'read-optimization', outcome: 'success' },
  ])
})

test('the same data gives the same suggestions each time, and one goal after the other is no conflict', async () => {
  const { optimize } = await startCampaigns({ store })
  const first = await optimize('cmp-123', 'conversions')
  const second = await optimize('cmp-123', 'conversions')
  expect([first.status, second.status]).toEqual([201, 201])
  expect(second.body['suggestions']).toEqual(first.body['suggestions'])
  expect(second.body['id']).not.toBe(first.body['id'])
})

test.each(['ctr', 'conversions', 'reach', 'cpl', 'conversion_rate', 'lead_quality'])(
  '%s is a goal',
  async (goal) => {
    const { optimize } = await startCampaigns({ store })
    expectAnswer(await optimize('cmp-123', goal), 201, { ...anOptimization, goal })
  },
)

test('clarification_required: without a goal it is asked for', async () => {
  const { post } = await startCampaigns({ store })
  expectAnswer(await post('/campaigns/cmp-123/optimizations', { json: {} }), 400, {
    type: 'clarification_required',
    code: 'CLARIFICATION_REQUIRED',
    message: 'The operation needs more input: goal.',
    requiredInputs: [
      {
        name: 'goal',
        location: 'body',
        type: 'string',
        required: true,
        question: 'What is the campaign to be optimized for?',
        allowedValues: ['ctr', 'conversions', 'reach', 'cpl', 'conversion_rate', 'lead_quality'],
      },
    ],
  })
})

test.each([
  42,
  'world peace',
  null,
  '',
  'CTR',
  'ctr ',
  ['ctr'],
  { ctr: 1 },
  true,
  '__proto__',
  'x'.repeat(100_000),
])('validation_failed: the goal %j is refused', async (goal) => {
  const { optimize } = await startCampaigns({ store })
  expectAnswer(await optimize('cmp-123', goal), 422, {
    type: 'validation_failed',
    code: 'VALIDATION_FAILED',
    message: 'The request is not valid.',
    errors: [{ field: 'goal', message: expect.stringContaining('expected one of') }],
  })
})

test('failed_dependency: the source of the metrics is down, and nothing is kept', async () => {
  const { optimize, get } = await startCampaigns({ store })
  const outcome = {
    type: 'failed_dependency',
    code: 'METRICS_UNAVAILABLE',
    message: 'The source of the metrics of this campaign does not answer.',
  }
  expectAnswer(await optimize('cmp-offline', 'ctr'), 424, outcome)
  expectAnswer(await get('/campaigns/cmp-offline/forecast'), 424, outcome)
  expectAnswer(await get('/campaigns/cmp-offline/optimizations'), 200, { items: [], next: null })
})

test('a source that is back gives what it has, and what cannot have been measured is an error of the agent', async () => {
  const day = { day: '2026-05-04', device: 'mobile', audience: 'all', impressions: 10_000, reach: 9_000 }
  const counts = { leads: 0, qualifiedLeads: 0, conversions: 0, spendCents: 100 }
  const days = [
    { ...day, ...counts, creative: 'video', clicks: 300 },
    { ...day, ...counts, creative: 'text', clicks: 100 },
  ]
  let answered: unknown = { days }
  const asked: unknown[] = []
  const { url: partnerUrl } = await startServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers['x-tenant-id']}`)
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answered))
  })
  const { optimize } = await startCampaigns({ store, partnerUrl })
  const made = await optimize('cmp-offline', 'ctr')
  expectAnswer(made, 201, { ...anOptimization, campaignId: 'cmp-offline' })
  expect(made.body['suggestions']).toMatchObject([{ type: 'creative_rotation', estimatedCtrLift: 0.5 }])
  expect(asked).toEqual(['GET /campaigns/cmp-offline/metrics acme'])
  for (answered of [{}, { days: null }, { days: [{ ...days[0], clicks: 10_001 }] }, [], 'x'])
    expect(await optimize('cmp-offline', 'ctr')).toMatchObject({ status: 500 })
})

test('error: metrics that cannot have been measured are no ground to compute on', async () => {
  const { optimize, get, logged } = await startCampaigns({ store })
  const outcome = {
    type: 'error',
    code: 'METRICS_UNUSABLE',
    message: 'The metrics of this campaign cannot have been measured, so nothing can be computed from them.',
  }
  expectAnswer(await optimize('cmp-corrupt', 'ctr'), 500, outcome)
  expectAnswer(await get('/campaigns/cmp-corrupt/forecast'), 500, outcome)
  expect(logged).toContainEqual(expect.objectContaining({ level: 'error', campaignId: 'cmp-corrupt' }))
})

test('a campaign is created, read and optimized by what was measured', async () => {
  const { post, get, optimize } = await startCampaigns({ store })
  const day = { day: '2026-05-04', device: 'mobile', audience: 'all', creative: 'text' }
  const counts = {
    impressions: 10_000,
    reach: 0,
    clicks: 300,
    leads: 0,
    qualifiedLeads: 0,
    conversions: 0,
    spendCents: 0,
  }
  const metrics = [
    { ...day, ...counts },
    { ...day, ...counts, device: 'desktop', clicks: 100 },
  ]
  const made = await post('/campaigns', { json: { name: 'Mine', monthlyBudget: 500, metrics } })
  const campaign = {
    id: expect.stringMatching(/^cmp-[\da-f-]{36}$/),
    name: 'Mine',
    monthlyBudget: 500,
    createdAt: expect.any(String),
  }
  expectAnswer(made, 201, campaign)
  const id = String(made.body['id'])
  expect(made.headers.get('location')).toBe(`/campaigns/${id}`)
  expectAnswer(await get(`/campaigns/${id}`), 200, { ...made.body })
  // 12,000 at 3 % and 8,000 at 1 % in place of 400 of 20,000.
  expect((await optimize(id, 'ctr')).body['suggestions']).toMatchObject([
    { type: 'bid_adjustment', estimatedCtrLift: 0.1 },
  ])
})

test('a campaign of which nothing was measured gets no suggestions, and no forecast', async () => {
  const { post, get, optimize } = await startCampaigns({ store })
  const { id } = (await post('/campaigns', { json: { name: 'New' } })).body as { id: string }
  const made = await optimize(id, 'ctr')
  expectAnswer(made, 201, { ...anOptimization, campaignId: id, suggestions: [] })
  expectAnswer(await get(`/campaigns/${id}/forecast`), 409, {
    type: 'conflict',
    code: 'NO_METRICS',
    message: 'Nothing was measured for this campaign yet, so nothing can be told about its next days.',
    conflictingResourceId: id,
  })
})

test('what another tenant has looks exactly like what nobody has', async () => {
  const { post, get, optimize } = await startCampaigns({ store })
  const { id } = (await optimize('cmp-123', 'ctr')).body
  for (const [tenant, campaignId] of [
    ['globex', 'cmp-123'],
    ['acme', 'cmp-900'],
    ['acme', 'cmp-nobody'],
    ['initech', 'cmp-123'],
  ] as const) {
    const path = `/campaigns/${campaignId}`
    expectNotFound(await get(path, { tenant }), 'campaign')
    expectNotFound(await get(`${path}/forecast`, { tenant }), 'campaign')
    expectNotFound(await get(`${path}/optimizations`, { tenant }), 'campaign')
    expectNotFound(await optimize(campaignId, 'ctr', { tenant }), 'campaign')
    expectNotFound(await get(`${path}/optimizations/${id}`, { tenant }), 'optimization')
    expectNotFound(await post(`${path}/optimizations/${id}/cancel`, { tenant }), 'optimization')
  }
  expect((await optimize('cmp-900', 'ctr', { tenant: 'globex' })).status).toBe(201)
})

test('a forecast is made of the days that were, and says how sure it is', async () => {
  const { get } = await startCampaigns({ store })
  const forecast = await get('/campaigns/cmp-123/forecast?days=2')
  const range = { expected: expect.any(Number), low: expect.any(Number), high: expect.any(Number) }
  expectAnswer(forecast, 200, {
    campaignId: 'cmp-123',
    days: 2,
    clicks: range,
    daily: [
      { day: '2026-06-01', clicks: range },
      { day: '2026-06-02', clicks: range },
    ],
  })
  expect((await get('/campaigns/cmp-123/forecast')).body['daily']).toHaveLength(14)
  for (const days of ['0', '366', '1.5', 'x', '-1', '1e3', ''])
    expect(await get(`/campaigns/cmp-123/forecast?days=${days}`)).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'days' }] },
    })
})

test('a forecast stops when nobody waits for it any more', async () => {
  const { get, logged } = await startCampaigns({ store, forecastDayMs: 60_000 })
  const leaving = new AbortController()
  const asking = get('/campaigns/cmp-123/forecast?days=365', { signal: leaving.signal }).catch(() => 'left')
  // The first reported day shows that the metrics were read; there is no earlier sign.
  await get('/campaigns/cmp-123')
  leaving.abort()
  expect(await asking).toBe('left')
  await expect
    .poll(() => logged)
    .toContainEqual(expect.objectContaining({ level: 'info', msg: 'the caller left before the answer' }))
})
