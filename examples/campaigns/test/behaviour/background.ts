import { expect, test } from 'vitest'
import type { Optimization } from '../../src/optimizations/optimization.ts'
import {
  type Answer,
  anOptimization,
  expectAnswer,
  type RunningCampaigns,
  startCampaigns,
} from '../harness/start-campaigns.ts'
import { store } from '../harness/store.ts'

const inBackground = { headers: { prefer: 'respond-async' } }

/** Begins and waits until the optimization can be seen. */
async function begin({ optimize, statusWhen }: RunningCampaigns, goal: string, campaignId = 'cmp-123') {
  const operation = await optimize(campaignId, goal, inBackground)
  expectAnswer(operation, 202, {
    type: 'operation_accepted',
    operationId: expect.any(String),
    statusUrl: `/operations/${operation.body['operationId']}/status`,
  })
  expect(operation.headers.get('preference-applied')).toBe('respond-async')
  const { progress } = await statusWhen(operation, (status) => status.progress !== undefined)
  return { operation, path: `/campaigns/${campaignId}/optimizations/${progress?.optimizationId}` }
}

const isOver = ({ status }: { readonly status: string }) => status !== 'working'

test('accepted: the work is reported step by step, and its result is the optimization, completed', async () => {
  const service = await startCampaigns({ store, stepMs: 20 })
  const { operation, path } = await begin(service, 'ctr')
  expectAnswer(await service.get(path), 200, { ...anOptimization, status: 'running', suggestions: [] })
  const steps = new Set<number>()
  const ended = await service.statusWhen(operation, (status) => {
    steps.add(status.progress?.step ?? 0)
    return isOver(status)
  })
  expect(steps.size).toBeGreaterThan(2)
  const now = await service.optimize('cmp-123', 'ctr')
  const completed = { ...anOptimization, status: 'completed', suggestions: now.body['suggestions'] }
  expectAnswer(await service.get(path), 200, completed)
  expect(ended).toEqual({
    operationId: operation.body['operationId'],
    status: 'completed',
    statusUrl: operation.body['statusUrl'],
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    progress: { optimizationId: ended.progress?.optimizationId, step: 14, steps: 14 },
    outcome: 'created',
    result: { ...completed, trace: expect.any(Object) },
  })
  expect(service.records).toContainEqual(
    expect.objectContaining({ event_type: 'agentic.operation.finished', outcome: 'created' }),
  )
})

test('with the usual pace a run takes 2 to 4 seconds', async () => {
  const service = await startCampaigns({ store, stepMs: undefined })
  const since = performance.now()
  const { operation } = await begin(service, 'ctr')
  await service.statusWhen(operation, isOver)
  const seconds = (performance.now() - since) / 1000
  expect(seconds).toBeGreaterThan(2)
  // On a machine that others keep busy, only the lower bound is the service's own doing.
  expect(seconds).toBeLessThan(12)
})

test('conflict: the same goal of the campaign waits its turn, others do not', async () => {
  const service = await startCampaigns({ store, stepMs: 100 })
  const { path } = await begin(service, 'reach')
  expectAnswer(await service.optimize('cmp-123', 'reach'), 409, {
    type: 'conflict',
    code: 'OPTIMIZATION_RUNNING',
    message: 'An optimization of this campaign for the same goal has not ended yet.',
    conflictingResourceId: path.split('/').at(-1),
  })
  expect((await service.optimize('cmp-123', 'cpl')).status).toBe(201)
  expect((await service.optimize('cmp-900', 'reach', { tenant: 'globex' })).status).toBe(201)
  await service.post(`${path}/cancel`)
})

test('who sends the same goal right after the 202 finds it running', async () => {
  const service = await startCampaigns({ store, stepMs: 20 })
  for (const goal of ['ctr', 'reach', 'cpl', 'conversions', 'lead_quality', 'conversion_rate']) {
    const operation = await service.optimize('cmp-123', goal, inBackground)
    expect((await service.optimize('cmp-123', goal)).status).toBe(409)
    await service.post(String(operation.body['statusUrl']).replace(/status$/, 'cancel'))
  }
})

test('a second one in the background ends with the conflict', async () => {
  const service = await startCampaigns({ store, stepMs: 100 })
  const { path } = await begin(service, 'reach')
  const second = await service.optimize('cmp-123', 'reach', inBackground)
  expect(await service.statusWhen(second, isOver)).toMatchObject({
    status: 'failed',
    outcome: 'conflict',
    result: { code: 'OPTIMIZATION_RUNNING', conflictingResourceId: path.split('/').at(-1) },
  })
  await service.post(`${path}/cancel`)
})

test('ten at once: some are created, the others name one of them, and never do two run', async () => {
  const service = await startCampaigns({ store })
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => service.optimize('cmp-123', 'conversions')),
  )
  const made = answers.filter(({ status }) => status === 201).map(({ body }) => body['id'])
  const refused = answers.filter(({ status }) => status === 409)
  expect(made.length).toBeGreaterThan(0)
  expect(made.length + refused.length).toBe(10)
  for (const { body } of refused) expect(made).toContain(body['conflictingResourceId'])
  const { items } = (await service.get('/campaigns/cmp-123/optimizations?limit=100')).body
  expect(
    (items as Optimization[]).filter(({ status }) => status !== 'completed' && status !== 'cancelled'),
  ).toEqual([])
})

test('a cancelled optimization stays cancelled, its operation ends with the reason, and the next may begin', async () => {
  const service = await startCampaigns({ store, stepMs: 50 })
  const { operation, path } = await begin(service, 'cpl')
  const cancelled = { ...anOptimization, goal: 'cpl', status: 'cancelled', suggestions: [] }
  expectAnswer(await service.post(`${path}/cancel`), 200, cancelled)
  expect((await service.optimize('cmp-123', 'cpl')).status).toBe(201)
  const id = path.split('/').at(-1)
  expect(await service.statusWhen(operation, isOver)).toMatchObject({
    status: 'failed',
    outcome: 'conflict',
    result: { code: 'OPTIMIZATION_CANCELLED', conflictingResourceId: id },
  })
  expectAnswer(await service.post(`${path}/cancel`), 409, {
    type: 'conflict',
    code: 'OPTIMIZATION_FINAL',
    message: 'The optimization has ended and cannot be cancelled.',
    conflictingResourceId: id,
  })
  expectAnswer(await service.get(path), 200, cancelled)
})

test('a cancelled operation takes its optimization with it', async () => {
  const service = await startCampaigns({ store, stepMs: 60_000 })
  const { operation, path } = await begin(service, 'lead_quality')
  const cancel = String(operation.body['statusUrl']).replace(/status$/, 'cancel')
  expect(await service.post(cancel)).toMatchObject({ status: 200, body: { status: 'cancelled' } })
  await expect.poll(async () => (await service.get(path)).body['status']).toBe('cancelled')
  expect((await service.optimize('cmp-123', 'lead_quality')).status).toBe(201)
})

test('what is final cannot be changed, not even in the database', async () => {
  const service = await startCampaigns({ store })
  const { id } = (await service.optimize('cmp-123', 'ctr')).body
  for (const change of [`status = 'running'`, `status = 'cancelled'`, `suggestions = '[]'`])
    await expect(
      store.query(`UPDATE optimizations SET ${change} WHERE optimization_id = $1`, [id]),
    ).rejects.toThrow('the status completed of an optimization is final')
})

test.each([
  ['cmp-offline', 'failed_dependency', 'METRICS_UNAVAILABLE'],
  ['cmp-corrupt', 'error', 'METRICS_UNUSABLE'],
])('a run for %s fails, and its optimization with it', async (campaignId, outcome, code) => {
  const service = await startCampaigns({ store })
  const operation = await service.optimize(campaignId, 'ctr', inBackground)
  expect(await service.statusWhen(operation, isOver)).toMatchObject({
    status: 'failed',
    outcome,
    result: { code },
  })
  const { items } = (await service.get(`/campaigns/${campaignId}/optimizations`)).body
  expect(items).toEqual([{ ...anOptimization, campaignId, status: 'failed', suggestions: [] }])
})

test('a run for a campaign that is not there ends with that', async () => {
  const service = await startCampaigns({ store })
  const operation = await service.optimize('cmp-nobody', 'ctr', inBackground)
  expect(await service.statusWhen(operation, isOver)).toMatchObject({
    status: 'failed',
    outcome: 'error',
    result: { code: 'NOT_FOUND' },
  })
})

test('two requests with the same ids are two optimizations, one after the other', async () => {
  const service = await startCampaigns({ store, stepMs: 2 })
  const headers = { ...inBackground.headers, 'x-request-id': 'always-the-same' }
  const operations: Answer[] = []
  for (let count = 0; count < 2; count += 1)
    operations.push(await service.optimize('cmp-123', 'ctr', { headers }))
  const ended = await Promise.all(operations.map((operation) => service.statusWhen(operation, isOver)))
  expect(ended.map(({ status }) => status)).toEqual(['completed', 'completed'])
  expect(new Set(ended.map(({ result }) => result?.['id'])).size).toBe(2)
})

test('a run that is given back when the service closes is taken up by the next one', async () => {
  const first = await startCampaigns({ store, stepMs: 60_000, closeSeconds: 0.05 })
  const { operation, path } = await begin(first, 'conversion_rate')
  await first.close()
  // The pause of 60 seconds was ended by closing; nothing was cancelled.
  const second = await startCampaigns({ store })
  const ended = await second.statusWhen(operation, isOver)
  expect(ended).toMatchObject({ status: 'completed', result: { id: path.split('/').at(-1) } })
  expect((await second.get(path)).body['status']).toBe('completed')
})
