import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Optimization } from '../../src/optimizations/optimization.ts'
import {
  beginOptimization,
  cancelHeld,
  cancelOptimization,
  completeForgotten,
  completeOptimization,
  failForsaken,
  type Hold,
  keepHold,
  letGo,
  takeUp,
} from '../../src/optimizations/optimization-table.ts'
import { startCampaigns } from '../harness/start-campaigns.ts'
import { store } from '../harness/store.ts'

const tenant = 'acme'
const campaignId = 'cmp-123'

/** Begins as a process would that is then silent since so many seconds. */
async function begin(silentSeconds: number, runner?: string): Promise<Hold> {
  const optimization: Optimization = {
    id: `opt-${randomUUID()}`,
    campaignId,
    goal: 'ctr',
    status: 'accepted',
    suggestions: [{ type: 'bid_adjustment', description: 'Bid.', estimatedCtrLift: 0.1 }],
    createdAt: new Date().toISOString(),
  }
  const begun = await beginOptimization(store, { tenant, optimization, runner, holdSeconds: -silentSeconds })
  return 'inTheWay' in begun ? expect.fail('another one is in the way') : begun
}

async function statusOf({ id }: Hold): Promise<string | undefined> {
  const [row] = await store.query<{ status: string }>(
    'SELECT status FROM optimizations WHERE optimization_id = $1',
    [id],
  )
  return row?.status
}

test('what has its suggestions is completed when the process that made them is gone, and not before', async () => {
  const alive = await begin(-60)
  expect(await completeForgotten(store)).toBe(0)
  expect(await statusOf(alive)).toBe('accepted')
  await letGo(store, alive)
  const { get } = await startCampaigns({ store })
  const path = `/campaigns/${campaignId}/optimizations/${alive.id}`
  await expect.poll(async () => (await get(path)).body['status']).toBe('completed')
  expect((await get(path)).body['suggestions']).toEqual(alive.optimization.suggestions)
})

test('what a run has left for too long is failed, and frees its goal', async () => {
  const runner = randomUUID()
  const left = await begin(31, runner)
  expect(await completeForgotten(store)).toBe(0)
  expect(await failForsaken(store, 60)).toBe(0)
  expect(await failForsaken(store, 30)).toBe(1)
  expect(await statusOf(left)).toBe('failed')
  const next = await begin(0, randomUUID())
  await cancelOptimization(store, { tenant, campaignId, id: next.id })
  // The run that comes back after all hears of it, once.
  expect(await takeUp(store, { tenant, runner, holdSeconds: 3 })).toMatchObject({
    kind: 'ended',
    optimization: { status: 'failed' },
  })
  expect(await takeUp(store, { tenant, runner, holdSeconds: 3 })).toEqual({ kind: 'nothing' })
})

test('an attempt that was overtaken can change nothing any more', async () => {
  const runner = randomUUID()
  const first = await begin(1, runner)
  const taken = await takeUp(store, { tenant, runner, holdSeconds: 60 })
  const second = taken.kind === 'taken' ? taken.hold : expect.fail('it has to be taken')
  expect(await takeUp(store, { tenant, runner, holdSeconds: 60 })).toEqual({ kind: 'held' })
  expect(await keepHold(store, first, 60)).toBe(false)
  expect(await completeOptimization(store, first, [])).toBeUndefined()
  await cancelHeld(store, first)
  await letGo(store, first)
  expect(await takeUp(store, { tenant, runner, holdSeconds: 60 })).toEqual({ kind: 'held' })
  expect(await keepHold(store, second, 60)).toBe(true)
  expect(await completeOptimization(store, second, [])).toMatchObject({ id: first.id, status: 'completed' })
})

test('only who surely holds an optimization takes an interruption for a cancellation', async () => {
  const silent = await begin(1, randomUUID())
  await cancelHeld(store, silent)
  expect(await statusOf(silent)).toBe('accepted')
  await keepHold(store, silent, 60)
  await cancelHeld(store, silent)
  expect(await statusOf(silent)).toBe('cancelled')
})

test('another tenant never takes up what is left', async () => {
  const runner = randomUUID()
  const left = await begin(1, runner)
  expect(await takeUp(store, { tenant: 'globex', runner, holdSeconds: 3 })).toEqual({ kind: 'nothing' })
  expect(await cancelOptimization(store, { tenant: 'globex', campaignId, id: left.id })).toBeUndefined()
  await cancelOptimization(store, { tenant, campaignId, id: left.id })
})
