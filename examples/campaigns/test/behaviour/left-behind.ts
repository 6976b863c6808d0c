import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Optimization } from '../../src/optimizations/optimization.ts'
import {
  beginOptimization,
  cancelOptimization,
  completeForgotten,
  completeOptimization,
  endWithOperation,
  keepHold,
  runWithOperation,
  type Worker,
} from '../../src/optimizations/optimization-table.ts'
import { startCampaigns } from '../harness/start-campaigns.ts'
import { store } from '../harness/store.ts'

const tenant = 'acme'
const campaignId = 'cmp-123'

/** Starts an optimization as a process that then dies. */
async function begin(worker: Worker): Promise<Optimization> {
  const optimization: Optimization = {
    id: `opt-${randomUUID()}`,
    campaignId,
    goal: 'ctr',
    status: 'accepted',
    suggestions: [{ type: 'bid_adjustment', description: 'Bid.', estimatedCtrLift: 0.1 }],
    createdAt: new Date().toISOString(),
  }
  expect(await beginOptimization(store, { tenant, optimization, worker })).toBeUndefined()
  return optimization
}

async function statusOf({ id }: Optimization): Promise<string | undefined> {
  const [row] = await store.query<{ status: string }>(
    'SELECT status FROM optimizations WHERE optimization_id = $1',
    [id],
  )
  return row?.status
}

test('what has its suggestions is completed when the process that made them is gone, and not before', async () => {
  const alive = await begin({ holdSeconds: 60 })
  expect(await completeForgotten(store)).toBe(0)
  expect(await statusOf(alive)).toBe('accepted')
  expect(await keepHold(store, { tenant, id: alive.id }, -1)).toBe(true)
  const { get } = await startCampaigns({ store })
  const path = `/campaigns/${campaignId}/optimizations/${alive.id}`
  await expect.poll(async () => (await get(path)).body['status']).toBe('completed')
  expect((await get(path)).body['suggestions']).toEqual(alive.suggestions)
  // The process was only slow. Its late writes change nothing.
  expect(await keepHold(store, { tenant, id: alive.id }, 60)).toBe(false)
  expect(await completeOptimization(store, { tenant, id: alive.id }, [])).toBeUndefined()
})

test('what belongs to an operation waits for it, however long, and ends as it ends', async () => {
  const operationId = randomUUID()
  const waiting = await begin({ operationId })
  expect(await completeForgotten(store)).toBe(0)
  expect(await cancelOptimization(store, { tenant, id: waiting.id })).toBe(false)
  expect(await runWithOperation(store, { tenant, operationId })).toEqual({ ...waiting, status: 'running' })
  await endWithOperation(store, { tenant, operationId }, 'failed')
  expect(await statusOf(waiting)).toBe('failed')
  await endWithOperation(store, { tenant, operationId }, 'cancelled')
  expect(await statusOf(waiting)).toBe('failed')
  expect(await runWithOperation(store, { tenant, operationId })).toBeUndefined()
})

test('another tenant reaches nothing of it', async () => {
  const operationId = randomUUID()
  const left = await begin({ operationId })
  const others = { tenant: 'globex', operationId, id: left.id }
  expect(await runWithOperation(store, others)).toBeUndefined()
  await endWithOperation(store, others, 'cancelled')
  expect(await completeOptimization(store, others, [])).toBeUndefined()
  expect(await statusOf(left)).toBe('accepted')
  await endWithOperation(store, { tenant, operationId }, 'cancelled')
})

test.each(['held_until = now()', 'operation_id = NULL'])(
  'an optimization has one that works on it, which the database sees to: %s',
  async (change) => {
    const operationId = randomUUID()
    const { id } = await begin({ operationId })
    await expect(
      store.query(`UPDATE optimizations SET ${change} WHERE optimization_id = $1`, [id]),
    ).rejects.toThrow('violates check constraint')
    await endWithOperation(store, { tenant, operationId }, 'cancelled')
  },
)
