import { expect, test } from 'vitest'
import { LimitCounts } from './limit-counts.ts'
import type { BudgetDemand, Demand, RateDemand } from './limit-store.ts'

const NOON = Date.parse('2026-11-16T12:00:00Z') * 1000
const HOUR_US = 3_600_000_000

/** Counts with clocks that a test moves. */
function makeCounts(mostKeys?: number) {
  const time = { us: 0, calendarUs: NOON }
  const clock = { monotonicUs: () => time.us, calendarUs: () => time.calendarUs }
  return { time, counts: new LimitCounts(clock, mostKeys) }
}

const rate = (key: string, burst = 2): RateDemand => ({
  type: 'rate',
  key,
  intervalUs: 1000,
  burst,
  needsStore: false,
})
const budget = (key: string, amount: number, more: Partial<BudgetDemand> = {}): BudgetDemand => ({
  type: 'budget',
  key,
  amount,
  limit: 100,
  per: 'day',
  needsStore: false,
  ...more,
})
const left = (counts: LimitCounts, demand: Demand) => counts.decide([demand], false).standings[0]?.left

test('if one demand does not fit, none is charged, and the first is named', () => {
  const { counts } = makeCounts()
  const wide = rate('wide acme', 10)
  const narrow = rate('narrow acme')
  const results = Array.from({ length: 4 }, () => counts.decide([wide, narrow]).refused)
  expect(results).toEqual([-1, -1, 1, 1])
  expect(counts.decide([narrow, wide]).refused).toBe(0)
  expect(left(counts, wide)).toBe(8)
})

test('a refusal names the time to wait, and the time until all is there again', () => {
  const { counts, time } = makeCounts()
  counts.decide([rate('a x')])
  counts.decide([rate('a x')])
  time.us = 250
  expect(counts.decide([rate('a x')])).toEqual({
    refused: 0,
    isUnavailable: false,
    standings: [{ left: 0, resetUs: 1750, waitUs: 750, period: 0 }],
  })
})

test('a reservation has to fit into the rest of the period, and the next period starts anew', () => {
  const { counts, time } = makeCounts()
  expect(counts.decide([budget('day acme', 60)]).refused).toBe(-1)
  expect(counts.decide([budget('day acme', 41)])).toMatchObject({
    refused: 0,
    standings: [{ left: 40, waitUs: 12 * HOUR_US, resetUs: 12 * HOUR_US }],
  })
  expect(counts.decide([budget('day acme', 40)]).refused).toBe(-1)
  expect(counts.decide([budget('day acme', 1)]).refused).toBe(0)
  expect(counts.decide([budget('day acme', 0)]).refused).toBe(-1)
  time.calendarUs += 12 * HOUR_US
  expect(counts.decide([budget('day acme', 100)]).refused).toBe(-1)
})

test('a settlement counts in the period of its reservation only', () => {
  const { counts, time } = makeCounts()
  const settle = (period: number, reserved: number, used: number) =>
    counts.settle({ key: 'day acme', per: 'day', period, reserved, used })
  const period = counts.decide([budget('day acme', 60)]).standings[0]?.period ?? 0
  settle(period, 60, 10)
  expect(left(counts, budget('day acme', 0))).toBe(90)
  time.calendarUs += 12 * HOUR_US
  counts.decide([budget('day acme', 20)])
  settle(period, 60, 10)
  expect(left(counts, budget('day acme', 0))).toBe(80)
  settle(period + 86_400, 20, 500)
  expect(counts.decide([budget('day acme', 1)])).toMatchObject({ refused: 0, standings: [{ left: 0 }] })
})

test('changed numbers of a policy apply at once to the counts it has', () => {
  const { counts } = makeCounts()
  for (let asked = 0; asked < 10; asked += 1) counts.decide([rate('a x', 10), budget('day x', 9)])
  expect(left(counts, rate('a x', 20))).toBe(10)
  expect(left(counts, budget('day x', 0, { limit: 1000 }))).toBe(910)
  expect(counts.decide([budget('day x', 1, { limit: 50 })]).refused).toBe(0)
  expect(counts.decide([rate('a x', 5)]).standings[0]).toMatchObject({ left: 0, waitUs: 1000 })
})

test('the highest use of each budget is known', () => {
  const { counts, time } = makeCounts()
  counts.decide([budget('day acme', 20), budget('money acme', 5, { limit: 10, per: 'month' })])
  counts.decide([budget('day globex', 60)])
  expect(counts.budgetUse()).toEqual([
    { policy: 'day', ratio: 0.6 },
    { policy: 'money', ratio: 0.5 },
  ])
  time.calendarUs += 12 * HOUR_US
  expect(counts.budgetUse()).toEqual([{ policy: 'money', ratio: 0.5 }])
})

test('keys that are as good as new make room for others', () => {
  const { counts, time } = makeCounts(100)
  for (let tenant = 0; tenant < 100; tenant += 1) counts.decide([rate(`a ${tenant}`)])
  expect(counts.size).toBe(100)
  time.us += 1000
  counts.decide([rate('a new')])
  expect(counts.size).toBe(1)
})

test('100,000 tenants take bounded memory, and a busy tenant is not freed by them', () => {
  const { counts } = makeCounts(1000)
  const busy = rate('a busy', 100)
  const spender = budget('day busy', 60)
  for (let asked = 0; asked < 90; asked += 1) counts.decide([busy])
  counts.decide([spender])
  let most = 0
  for (let tenant = 0; tenant < 100_000; tenant += 1) {
    counts.decide([rate(`a ${tenant}`, 100), budget(`day ${tenant}`, 1)])
    most = Math.max(most, counts.size)
  }
  expect(most).toBeLessThanOrEqual(1002)
  expect(left(counts, busy)).toBe(10)
  expect(left(counts, spender)).toBe(40)
})

test('when all tenants are busy, those without room share one count', () => {
  const { counts } = makeCounts(10)
  const asks = (tenant: number) => [
    counts.decide([rate(`a ${tenant}`)]),
    counts.decide([rate(`a ${tenant}`)]),
  ]
  for (let tenant = 0; tenant < 10; tenant += 1)
    expect(asks(tenant).map(({ refused }) => refused)).toEqual([-1, -1])
  expect(asks(10).map(({ refused }) => refused)).toEqual([-1, -1])
  expect(asks(11).map(({ refused }) => refused)).toEqual([0, 0])
  expect(counts.size).toBe(11)
})

test('tenants without room have counts of their own again when others are idle', () => {
  const { counts, time } = makeCounts(10)
  const passes = (tenant: string) => counts.decide([rate(`a ${tenant}`)]).refused === -1
  for (let tenant = 0; tenant < 12; tenant += 1) for (const _ of [1, 2]) passes(`early-${tenant}`)
  expect(passes('early-12')).toBe(false)
  time.us += HOUR_US
  expect(['b', 'b', 'c', 'c', 'd', 'd'].map(passes)).toEqual([true, true, true, true, true, true])
  expect(counts.size).toBe(3)
})

test('a search that finds few keys to forget has a pause before the next', () => {
  const { counts, time } = makeCounts(100)
  for (let tenant = 0; tenant < 99; tenant += 1) counts.decide([budget(`day ${tenant}`, 60)])
  const leftAfter = (tenant: string) => counts.decide([rate(`a ${tenant}`, 10)]).standings[0]?.left
  expect(leftAfter('first')).toBe(9)
  // The first is forgotten for the second. Further ones share a count: each would cost a search of all keys.
  expect(['second', 'third', 'fourth'].map(leftAfter)).toEqual([9, 9, 8])
  time.us += 1_000_000
  expect(['fifth', 'sixth'].map(leftAfter)).toEqual([9, 9])
})
