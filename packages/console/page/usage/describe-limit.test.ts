import { expect, test } from 'vitest'
import type { UsagePolicy } from '../api/bodies.ts'
import { describeKey, describePolicy, formatMoney, viewLimit } from './describe-limit.ts'

const requests: UsagePolicy = {
  name: 'per-tenant',
  key: ['tenant'],
  unit: 'requests',
  limit: 600,
  perSeconds: 60,
  burst: 60,
  per: null,
  routes: null,
}
const tokens: UsagePolicy = {
  ...requests,
  name: 'tokens-day',
  unit: 'tokens',
  limit: 1_000_000,
  perSeconds: null,
  burst: null,
  per: 'day',
}
const money: UsagePolicy = { ...tokens, name: 'money-month', unit: 'cost', limit: 50_000_000, per: 'month' }
const policies = [requests, tokens, money]
const none = { policies: [], currency: null }

test('a limit is described by what it allows and what it counts apart', () => {
  expect(policies.map((policy) => describePolicy(policy, 'EUR'))).toEqual([
    '600 requests per 60 s, 60 at once',
    '1,000,000 tokens per day',
    '50.00 EUR per month',
  ])
  expect(describePolicy(money, null)).toBe('50.00 per month')
  expect(describeKey({ key: ['tenant'] })).toBe('each tenant')
  expect(describeKey({ key: ['tenant', 'subject'] })).toBe('each tenant and subject')
  expect(describeKey({ key: [] })).toBe('all together')
})

test('money has two to six decimals, and its currency if that is known', () => {
  const amounts = [0, 746_000, 1, 50_000_000]
  expect(amounts.map((micro) => formatMoney(micro, null))).toEqual(['0.00', '0.746', '0.000001', '50.00'])
  expect(formatMoney(746_000, 'EUR')).toBe('0.746 EUR')
})

test('a meter shows the used part of a limit', () => {
  const state = { policy: 'tokens-day', left: 812_000, most: 1_000_000, resetSeconds: 24_300 }
  const usage = { policies, currency: 'EUR' }
  expect(viewLimit(state, usage)).toEqual({
    name: 'tokens-day',
    used: 188_000,
    most: 1_000_000,
    nearly: 800_000,
    text: '188,000 of 1,000,000 tokens used',
    reset: 'all free again in 6 h 45 min',
    level: 'free',
  })
  expect(viewLimit({ ...state, policy: 'money-month', left: 1, most: 50_000_000 }, usage)).toMatchObject({
    text: '49.999999 of 50.00 EUR used',
    level: 'nearly',
  })
})

test.each([
  [100, 'free', ''],
  [21, 'free', 'all free again in 9 s'],
  [20, 'nearly', 'all free again in 9 s'],
  [0, 'full', 'all free again in 9 s'],
  // A smaller limit after a reload.
  [-5, 'full', 'all free again in 9 s'],
  [120, 'free', ''],
])('with %d of 100 left it is %s', (left, level, reset) => {
  expect(viewLimit({ policy: 'gone', left, most: 100, resetSeconds: 9 }, none)).toMatchObject({
    level,
    reset,
  })
})
