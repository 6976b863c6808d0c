import { createStore } from '@agentic-rest/service'
import { describePostgres } from '@agentic-rest/testing/describe-postgres'
import { expect, onTestFinished, test } from 'vitest'
import type { Optimization } from '../../examples/campaigns/src/optimizations/optimization.ts'
import { prepareTables } from '../../examples/campaigns/src/tables.ts'
import { startCampaigns } from '../../examples/campaigns/test/harness/start-campaigns.ts'

describePostgres('several processes of the campaigns on one PostgreSQL database', (server) => {
  async function startTwo(stepMs: number) {
    const url = await server().createDatabase()
    const stores = [1, 2].map(() => createStore({ url, connections: 4 }))
    // At the same time, like processes that start together.
    await Promise.all([...stores, ...stores].map(prepareTables))
    const [one, other] = await Promise.all(stores.map((store) => startCampaigns({ store, stepMs })))
    onTestFinished(async () => {
      await Promise.all([one?.close(), other?.close()])
      await Promise.all(stores.map((store) => store.close()))
    })
    const [store] = stores
    if (one === undefined || other === undefined || store === undefined) throw new Error('none was started')
    return { one, other, store }
  }

  test('the initial data exists once, with any process first', async () => {
    const { one, store } = await startTwo(5)
    const [counted] = await store.query<{ campaigns: number; days: number }>(
      `SELECT (SELECT count(*) FROM campaigns) AS campaigns,
        (SELECT count(*) FROM daily_metrics WHERE campaign_id = 'cmp-123') AS days`,
    )
    expect(counted).toEqual({ campaigns: 5, days: 28 * 36 })
    expect((await one.optimize('cmp-123', 'ctr')).status).toBe(201)
  })

  test('one goal has one optimization at a time across both processes', async () => {
    const { one, other } = await startTwo(100)
    const operation = await one.optimize('cmp-123', 'cpl', { headers: { prefer: 'respond-async' } })
    const { progress } = await other.statusWhen(operation, (status) => status.progress !== undefined)
    expect(await other.optimize('cmp-123', 'cpl')).toMatchObject({
      status: 409,
      body: { conflictingResourceId: progress?.optimizationId },
    })
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? one : other).optimize('cmp-123', 'ctr')),
    )
    // Overlapping ones are refused; an overlap is not guaranteed.
    const statuses = answers.map(({ status }) => status)
    expect(statuses).toContain(201)
    expect(statuses.filter((status) => status !== 201 && status !== 409)).toEqual([])
    const ended = await other.statusWhen(operation, ({ status }) => status !== 'working')
    expect(ended).toMatchObject({ status: 'completed', result: { id: progress?.optimizationId } })
    const { items } = (await one.get('/campaigns/cmp-123/optimizations')).body
    expect((items as Optimization[]).filter(({ status }) => status !== 'completed')).toEqual([])
  })

  test('cancelling an operation at any process cancels its optimization', async () => {
    const { one, other } = await startTwo(60_000)
    const operation = await one.optimize('cmp-123', 'reach', { headers: { prefer: 'respond-async' } })
    const { progress } = await one.statusWhen(operation, (status) => status.progress !== undefined)
    for (const service of [one, other]) {
      await service.post(String(operation.body['statusUrl']).replace(/status$/, 'cancel'))
    }
    const path = `/campaigns/cmp-123/optimizations/${progress?.optimizationId}`
    await expect.poll(async () => (await other.get(path)).body['status']).toBe('cancelled')
    expect((await other.optimize('cmp-123', 'reach')).status).toBe(201)
  })
})
