import { expect, test } from 'vitest'
import { createPrices, HIGHEST_PRICE, priceMicro } from './prices.ts'
import { MOST_TOKENS } from './usage.ts'

const prices = createPrices([
  { model: 'gpt-4o', input: 2.5, output: 10 },
  { model: 'free-*', input: 0, output: 0 },
  { model: 'gpt-*', input: 0.1, output: 0.3 },
  { model: '*-mini*-2*', input: 1, output: 1 },
])
const cost = (model: string | undefined, input = 1_000_000, output = 0) =>
  prices.costMicro(model === undefined ? { input, output } : { input, output, model })

test('the first pattern that matches counts', () => {
  expect(cost('gpt-4o')).toBe(2_500_000)
  expect(cost('gpt-4o-mini')).toBe(100_000)
  expect(cost('gpt-')).toBe(100_000)
  expect(cost('o3-mini-high-2026')).toBe(1_000_000)
})

test('a model without a price has no cost, and a price of 0 has cost 0', () => {
  expect(cost('mistral')).toBeUndefined()
  expect(cost('my-gpt-4')).toBeUndefined()
  expect(cost('o3-mini')).toBeUndefined()
  expect(cost(undefined)).toBeUndefined()
  expect(cost('free-model', MOST_TOKENS, MOST_TOKENS)).toBe(0)
})

test('only * is special in a pattern, and parts do not overlap', () => {
  const matches = (pattern: string, model: string) =>
    createPrices([{ model: pattern, input: 1, output: 1 }]).costMicro({ input: 1, output: 0, model }) === 1
  expect(matches('*', '')).toBe(true)
  expect(matches('a.b', 'axb')).toBe(false)
  expect(matches('a?', 'ab')).toBe(false)
  expect(matches('ab*ba', 'aba')).toBe(false)
  expect(matches('ab*ba', 'abba')).toBe(true)
  expect(matches('*a*a*b', `${'a'.repeat(250)}c`)).toBe(false)
})

test('input and output are added exactly and rounded up to a millionth', () => {
  expect(cost('gpt-4o', 1000, 200)).toBe(4500)
  expect(cost('gpt-x', 1, 0)).toBe(1)
  expect(cost('gpt-x', 3, 0)).toBe(1)
  expect(cost('gpt-x', 7, 1)).toBe(1)
  expect(cost('gpt-x', 0, 0)).toBe(0)
  expect(cost('gpt-x', 10, 0)).toBe(1)
  expect(cost('gpt-x', 11, 0)).toBe(2)
})

test('the highest cost is an exact integer', () => {
  const dear = createPrices([{ model: '*', input: 999_999.999_999, output: HIGHEST_PRICE }])
  const highest = dear.costMicro({ input: MOST_TOKENS - 1, output: MOST_TOKENS, model: 'x' })
  const expected = (999_999_999n * 999_999_999_999n + 10n ** 9n * 10n ** 12n + 999_999n) / 1_000_000n
  expect(BigInt(highest ?? 0)).toBe(expected)
  expect(Number.isSafeInteger(highest)).toBe(true)
})

test('a price is an integer of millionths', () => {
  expect([0, 2.5, 0.1, 0.075, 1.1, 0.000_001, 4.35, HIGHEST_PRICE].map(priceMicro)).toEqual([
    0, 2_500_000, 100_000, 75_000, 1_100_000, 1, 4_350_000, 1_000_000_000_000,
  ])
})

test.for([-1, 0.000_000_1, 0.123_456_7, 1_000_001, 1e300, Number.POSITIVE_INFINITY, Number.NaN])(
  'a price of %s is refused',
  (price) => {
    expect(priceMicro(price)).toBeUndefined()
    expect(() => createPrices([{ model: '*', input: price, output: 0 }])).toThrow(RangeError)
    expect(() => createPrices([{ model: '*', input: 0, output: price }])).toThrow(
      'a price must be from 0 to 1000000 and have at most six decimals',
    )
  },
)
