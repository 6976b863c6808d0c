import { expect, test } from 'vitest'
import type { RateLimitOptions } from '../../config/config-schema.ts'
import { createLimitHeaders } from './limit-headers.ts'
import { compilePolicies, type KeyFacts } from './policies.ts'

const base = { name: 'p', key: ['tenant'], on_store_failure: 'local' } satisfies RateLimitOptions

const facts = (tenantId: string, subject = '', routeId = ''): KeyFacts => ({
  tenantId,
  identity: { issuer: 'https://id', subject },
  route: { id: routeId },
})

const keyOf = (key: RateLimitOptions['key'], of: KeyFacts) =>
  compilePolicies([{ ...base, requests: 1, per_seconds: 1, key }])[0]?.keyOf(of)

test('different callers, tenants and routes have different keys, whatever their names are', () => {
  const all: RateLimitOptions['key'] = ['tenant', 'subject', 'route']
  const keys = [
    facts('a', 'b', 'c'),
    facts('a', 'b c', ''),
    facts('a', ' b', 'c'),
    facts('a', '', '1:b c'),
    facts('a', '0:', 'c'),
    { ...facts('a', 'b', 'c'), identity: { issuer: 'https://i', subject: 'db' } },
    { ...facts('a', 'b', 'c'), identity: undefined },
    facts('ab', '', 'c'),
  ].map((of) => keyOf(all, of))
  expect(new Set(keys).size).toBe(keys.length)
})

test('a key has only its parts, and the order of its parts does not matter', () => {
  expect(keyOf(['tenant'], facts('a', 'b', 'c'))).toBe('p a')
  expect(keyOf(['route'], facts('a', 'b', 'c'))).toBe('p  1:c')
  expect(keyOf(['subject', 'tenant'], facts('a', 'b'))).toBe(keyOf(['tenant', 'subject'], facts('a', 'b')))
})

test('a policy of one name has other keys with another unit or period', () => {
  const keys = compilePolicies([
    { ...base, requests: 1, per_seconds: 1 },
    { ...base, tokens: 1, per: 'day' },
    { ...base, tokens: 1, per: 'month' },
    { ...base, cost: 1, per: 'day' },
    { ...base, cost: 1, per: 'month' },
  ]).map((policy) => policy.keyOf(facts('a')))
  expect(keys).toEqual(['p a', 'p tokens/day a', 'p tokens/month a', 'p cost/day a', 'p cost/month a'])
})

test('the default estimate leaves half of a small budget for the input', () => {
  const estimates = [{ tokens: 100 }, { tokens: 5000 }, { tokens: 100, estimate: 7 }, { cost: 1 }].map(
    (more) => compilePolicies([{ ...base, per: 'day', ...more }])[0]?.estimate,
  )
  expect(estimates).toEqual([50, 1000, 7, 1000])
})

test('money is counted in millionths, and a demand carries its numbers', () => {
  const [rate, money] = compilePolicies([
    { ...base, requests: 10, per_seconds: 1, routes: ['r'] },
    { ...base, name: 'm', cost: 0.1, per: 'month', on_store_failure: 'refuse' },
  ])
  expect([rate?.appliesTo('r'), rate?.appliesTo('s'), money?.appliesTo('s')]).toEqual([true, false, true])
  expect(rate?.demand('k', 0)).toEqual({
    type: 'rate',
    key: 'k',
    intervalUs: 100_000,
    burst: 1,
    needsStore: false,
  })
  expect(money?.demand('k', 7)).toEqual({
    type: 'budget',
    key: 'k',
    per: 'month',
    limit: 100_000,
    amount: 7,
    needsStore: true,
  })
})

test('the headers name each policy, and a month has its real length', () => {
  const headers = createLimitHeaders(
    compilePolicies([
      { ...base, requests: 600, per_seconds: 60 },
      { ...base, name: 'm', cost: 2, per: 'month' },
    ]),
  )
  const february = Date.parse('2028-02-01T00:00:00Z') / 1000
  expect(
    headers([
      { left: 4, resetUs: 1, waitUs: 0, period: 0 },
      { left: 5, resetUs: 2_000_001, waitUs: 0, period: february },
    ]),
  ).toEqual([
    'RateLimit-Policy',
    '"p";q=600;w=60, "m";q=2000000;w=2505600;agentic-unit="cost-micro"',
    'RateLimit',
    '"p";r=4;t=1, "m";r=5;t=3',
  ])
})
