import { expect, test } from 'vitest'
import { mergeUsage, UsageLedger } from './usage-ledger.ts'

const used = { inputTokens: 3, outputTokens: 4, costMicro: 5, isRefused: false }
const nothing = { requests: 0, refused: 0, inputTokens: 0, outputTokens: 0, costMicro: 0 }

test('requests count for their day and their month in UTC', () => {
  const time = { now: Date.parse('2026-11-29T23:59:59Z') }
  const ledger = new UsageLedger(() => time.now)
  ledger.add('acme', used)
  ledger.add('acme', { ...used, isRefused: true })
  const two = { requests: 2, refused: 1, inputTokens: 6, outputTokens: 8, costMicro: 10 }
  expect(ledger.of('acme')).toEqual({ tenant: 'acme', today: two, month: two })
  time.now += 1000
  ledger.add('acme', used)
  expect(ledger.of('acme')).toMatchObject({ today: { requests: 1 }, month: { requests: 3 } })
  time.now += 86_400_000
  expect(ledger.of('acme')).toEqual({ tenant: 'acme', today: nothing, month: nothing })
  expect(ledger.most(10)).toEqual([])
})

test('tenants beyond the bound count together, and the busiest are first', () => {
  const ledger = new UsageLedger(() => 0, 2)
  for (const tenant of ['a', 'b', 'b', 'c', 'd', 'e']) ledger.add(tenant, used)
  expect(ledger.most(2).map(({ tenant, month }) => [tenant, month.requests])).toEqual([
    ['other', 3],
    ['b', 2],
  ])
})

test('tenants of past months leave their places to others', () => {
  const time = { now: Date.parse('2026-11-30T12:00:00Z') }
  const ledger = new UsageLedger(() => time.now, 2)
  for (const tenant of ['a', 'b', 'c']) ledger.add(tenant, used)
  time.now += 86_400_000
  for (const tenant of ['d', 'e']) ledger.add(tenant, used)
  expect(ledger.most(9).map(({ tenant }) => tenant)).toEqual(['d', 'e'])
})

test('the counts of several processes add up by tenant', () => {
  const [first, second] = [new UsageLedger(() => 0), new UsageLedger(() => 0)]
  for (const ledger of [first, second, second]) ledger.add('acme', used)
  second.add('globex', used)
  const merged = mergeUsage([...first.most(9), ...second.most(9)])
  expect(merged.map(({ tenant, today }) => [tenant, today.requests, today.inputTokens])).toEqual([
    ['acme', 3, 9],
    ['globex', 1, 3],
  ])
})
