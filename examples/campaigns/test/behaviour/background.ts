import { readFileSync } from 'node:fs'
import { startServer } from '@agentic-rest/testing/start-server'
import { expect, test } from 'vitest'
import type { Optimization } from '../../src/optimizations/optimization.ts'
import {
  type Answer,
  anOptimization,
  expectAnswer,
  expectNotFound,
  type RunningCampaigns,
  startCampaigns,
} from '../harness/start-campaigns.ts'
import { store } from '../harness/store.ts'

const inBackground = { headers: { prefer: 'respond-async' } }

/** Starts an optimization and waits until it is visible. */
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

/** The optimization of an operation; it is visible before any progress. */
async function idOf({ body: { operationId } }: Answer): Promise<string> {
  const [row] = await store.query<{ id: string }>(
    'SELECT optimization_id AS id FROM optimizations WHERE operation_id = $1',
    [operationId],
  )
  return row?.id ?? expect.fail('the operation has no optimization')
}

const cancelOf = ({ body: { statusUrl } }: Answer) => String(statusUrl).replace(/status$/, 'cancel')

const cancelledOperation = {
  status: 'cancelled',
  outcome: 'error',
  result: { type: 'error', code: 'OPERATION_CANCELLED', message: 'The operation was cancelled.' },
}

function expectRunning(answer: Answer, id: string): void {
  expectAnswer(answer, 409, {
    type: 'conflict',
    code: 'OPTIMIZATION_RUNNING',
    message: 'An optimization of this campaign for the same goal has not ended yet.',
    conflictingResourceId: id,
  })
}

const isOver = ({ status }: { readonly status: string }) => status !== 'working'

test('accepted: the work is reported step by step, and its result is the optimization, completed', async () => {
  const service = await startCampaigns({ store, stepMs: 120 })
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

/** The milliseconds in which this thread was ready and other programs used the cores. Only Linux tells it. */
function waitedMs(): number {
  if (process.platform !== 'linux') return 0
  return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[1]) / 1e6
}

test('with the usual pace a run takes 2 to 4 seconds', async () => {
  const service = await startCampaigns({ store, stepMs: undefined })
  const [since, waitedBefore] = [performance.now(), waitedMs()]
  const { operation } = await begin(service, 'ctr')
  await service.statusWhen(operation, isOver)
  const seconds = (performance.now() - since) / 1000
  expect(seconds).toBeGreaterThan(2)
  // Twelve for a busy machine: PostgreSQL, where it is the store, waits for a core too.
  expect(seconds - (waitedMs() - waitedBefore) / 1000).toBeLessThan(12)
})

test('conflict: the same goal of the campaign waits its turn, others do not', async () => {
  const service = await startCampaigns({ store, stepMs: 60_000 })
  const { path } = await begin(service, 'reach')
  expectRunning(await service.optimize('cmp-123', 'reach'), path.split('/').at(-1) ?? '')
  expect((await service.optimize('cmp-123', 'cpl')).status).toBe(201)
  expect((await service.optimize('cmp-900', 'reach', { tenant: 'globex' })).status).toBe(201)
  await service.post(`${path}/cancel`)
})

test('who sends the same goal right after the 202 gets the conflict, waiting or not, also when nobody is free to run', async () => {
  const service = await startCampaigns({ store, stepMs: 60_000, workers: 1 })
  const operations: Answer[] = []
  for (const goal of ['ctr', 'reach', 'cpl', 'conversions', 'lead_quality', 'conversion_rate']) {
    const operation = await service.optimize('cmp-123', goal, inBackground)
    expect(operation.status).toBe(202)
    operations.push(operation)
    const [waited, second] = [
      await service.optimize('cmp-123', goal),
      await service.optimize('cmp-123', goal, inBackground),
    ]
    for (const refused of [waited, second]) expectRunning(refused, await idOf(operation))
    expect(second.headers.get('preference-applied')).toBeNull()
  }
  const waiting = operations.slice(1)
  const { items } = (await service.get('/campaigns/cmp-123/optimizations?limit=5')).body
  expect((items as Optimization[]).map(({ status }) => status)).toEqual(waiting.map(() => 'accepted'))
  for (const operation of operations) await service.post(cancelOf(operation))
})

test('of ten in the background at once one is accepted, and the others name it', async () => {
  const service = await startCampaigns({ store, stepMs: 60_000 })
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => service.optimize('cmp-123', 'reach', inBackground)),
  )
  const [accepted, ...more] = answers.filter(({ status }) => status === 202)
  expect(more).toEqual([])
  const operation = accepted ?? expect.fail('one has to be accepted')
  const id = await idOf(operation)
  for (const refused of answers.filter((answer) => answer !== operation)) expectRunning(refused, id)
  await service.post(cancelOf(operation))
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

test('a cancelled optimization stays cancelled, its operation with it, and the next may begin', async () => {
  const service = await startCampaigns({ store, stepMs: 60_000 })
  const { operation, path } = await begin(service, 'cpl')
  const cancelled = { ...anOptimization, goal: 'cpl', status: 'cancelled', suggestions: [] }
  expectAnswer(await service.post(`${path}/cancel`), 200, cancelled)
  expect((await service.get(String(operation.body['statusUrl']))).body).toMatchObject(cancelledOperation)
  expect((await service.optimize('cmp-123', 'cpl')).status).toBe(201)
  const id = path.split('/').at(-1)
  expectAnswer(await service.post(`${path}/cancel`), 409, {
    type: 'conflict',
    code: 'OPTIMIZATION_FINAL',
    message: 'The optimization has ended and cannot be cancelled.',
    conflictingResourceId: id,
  })
  expect((await service.post(cancelOf(operation))).body).toMatchObject({ code: 'OPERATION_FINAL' })
  expectAnswer(await service.get(path), 200, cancelled)
})

test('a cancelled operation takes its optimization with it', async () => {
  const service = await startCampaigns({ store, stepMs: 60_000 })
  const { operation, path } = await begin(service, 'lead_quality')
  expect(await service.post(cancelOf(operation))).toMatchObject({ status: 200, body: cancelledOperation })
  expect((await service.get(path)).body['status']).toBe('cancelled')
  expect((await service.post(`${path}/cancel`)).body).toMatchObject({ code: 'OPTIMIZATION_FINAL' })
  expect((await service.optimize('cmp-123', 'lead_quality')).status).toBe(201)
})

test('what nobody has begun to work on is cancelled too, from both sides', async () => {
  const service = await startCampaigns({ store, workers: 0 })
  for (const side of ['operation', 'optimization']) {
    const operation = await service.optimize('cmp-123', 'reach', inBackground)
    const path = `/campaigns/cmp-123/optimizations/${await idOf(operation)}`
    expect((await service.get(path)).body['status']).toBe('accepted')
    const answer = await service.post(side === 'operation' ? cancelOf(operation) : `${path}/cancel`)
    expect(answer).toMatchObject({ status: 200, body: { status: 'cancelled' } })
    expect((await service.get(path)).body['status']).toBe('cancelled')
    expect((await service.get(String(operation.body['statusUrl']))).body).toMatchObject(cancelledOperation)
  }
})

test('of many that cancel at once from both sides one does, and a run that ends meanwhile is not torn apart', async () => {
  const service = await startCampaigns({ store, stepMs: 0 })
  for (let round = 0; round < 5; round += 1) {
    const operation = await service.optimize('cmp-123', 'ctr', inBackground)
    const id = await idOf(operation)
    const path = `/campaigns/cmp-123/optimizations/${id}`
    const answers = await Promise.all(
      [0, 1, 2, 3].map((turn) => service.post(turn % 2 === 0 ? cancelOf(operation) : `${path}/cancel`)),
    )
    const done = answers.filter(({ status }) => status === 200)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(4 - done.length)
    const { status } = await service.statusWhen(operation, isOver)
    expect(status).toBe(done.length === 1 ? 'cancelled' : 'completed')
    expect((await service.get(path)).body['status']).toBe(status)
  }
})

test('what is final cannot be changed, not even in the database', async () => {
  const service = await startCampaigns({ store })
  const { id } = (await service.optimize('cmp-123', 'ctr')).body
  for (const change of [`status = 'running'`, `status = 'cancelled'`, `suggestions = '[]'`])
    await expect(
      store.query(`UPDATE optimizations SET ${change} WHERE optimization_id = $1`, [id]),
    ).rejects.toThrow('the status completed of an optimization is final')
})

test('failed_dependency at once: a partner that is not there is known before anything is accepted', async () => {
  const service = await startCampaigns({ store })
  const before = (await service.get('/campaigns/cmp-offline/optimizations')).body
  expectAnswer(await service.optimize('cmp-offline', 'ctr', inBackground), 424, {
    type: 'failed_dependency',
    code: 'METRICS_UNAVAILABLE',
    message: 'The source of the metrics of this campaign does not answer.',
  })
  expect((await service.get('/campaigns/cmp-offline/optimizations')).body).toEqual(before)
})

test.each([
  ['cmp-offline', 'failed_dependency', 'METRICS_UNAVAILABLE'],
  ['cmp-corrupt', 'error', 'METRICS_UNUSABLE'],
])('a run for %s fails, and its optimization with it', async (campaignId, outcome, code) => {
  // The partner answers, but has no metrics.
  const { url: partnerUrl } = await startServer((_, response) => response.writeHead(500).end())
  const service = await startCampaigns({ store, partnerUrl })
  const operation = await service.optimize(campaignId, 'ctr', inBackground)
  expect(await service.statusWhen(operation, isOver)).toMatchObject({
    status: 'failed',
    outcome,
    result: { code },
  })
  const { items } = (await service.get(`/campaigns/${campaignId}/optimizations`)).body
  expect(items).toEqual([{ ...anOptimization, campaignId, status: 'failed', suggestions: [] }])
})

test('a campaign that is not there is not accepted', async () => {
  const service = await startCampaigns({ store })
  expectNotFound(await service.optimize('cmp-nobody', 'ctr', inBackground), 'campaign')
  expectNotFound(await service.optimize('cmp-123', 'ctr', { ...inBackground, tenant: 'globex' }), 'campaign')
})

test('two requests with the same ids are two optimizations, one after the other', async () => {
  const service = await startCampaigns({ store, stepMs: 0 })
  const headers = { ...inBackground.headers, 'x-request-id': 'always-the-same' }
  const ids = new Set<unknown>()
  for (let count = 0; count < 2; count += 1) {
    const operation = await service.optimize('cmp-123', 'ctr', { headers })
    const { status, result } = await service.statusWhen(operation, isOver)
    expect(status).toBe('completed')
    ids.add(result?.['id'])
  }
  expect(ids.size).toBe(2)
})

test('a keyed request that was accepted is answered with the same 202 while it runs', async () => {
  const service = await startCampaigns({ store, stepMs: 60_000 })
  const headers = { ...inBackground.headers, 'idempotency-key': 'once' }
  const first = await service.optimize('cmp-123', 'cpl', { headers })
  const again = await service.optimize('cmp-123', 'cpl', { headers })
  expectAnswer(again, 202, first.body)
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  await service.post(cancelOf(first))
})

test('a run that is given back when the service closes is taken up by the next one', async () => {
  const first = await startCampaigns({ store, stepMs: 60_000, closeSeconds: 0.05 })
  const { operation, path } = await begin(first, 'conversion_rate')
  await first.close()
  // `close` ended the pause of 60 seconds; nothing was cancelled.
  const second = await startCampaigns({ store })
  const ended = await second.statusWhen(operation, isOver)
  expect(ended).toMatchObject({ status: 'completed', result: { id: path.split('/').at(-1) } })
  expect((await second.get(path)).body['status']).toBe('completed')
})
