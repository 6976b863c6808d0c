import { expect, test } from 'vitest'
import { RetryBudget } from './retry-budget.ts'

function takeAll(budget: RetryBudget, now: number): number {
  let taken = 0
  while (taken < 1000 && budget.take(now)) taken += 1
  return taken
}

test('ten retries are always allowed within ten seconds', () => {
  const budget = new RetryBudget()
  expect([takeAll(budget, 0), takeAll(budget, 9999), takeAll(budget, 10_000)]).toEqual([10, 0, 10])
})

test('a tenth of the requests of the last ten seconds may be retried', () => {
  const budget = new RetryBudget()
  for (let request = 0; request < 500; request += 1) budget.count(request * 10)
  expect(takeAll(budget, 5000)).toBe(50)
  // The requests of the first second have left the window.
  for (let request = 0; request < 100; request += 1) budget.count(10_000)
  expect(takeAll(budget, 10_000)).toBe(0)
  expect(takeAll(budget, 15_000)).toBe(10)
})

test('a long pause forgets everything', () => {
  const budget = new RetryBudget()
  for (let request = 0; request < 1000; request += 1) budget.count(0)
  expect(takeAll(budget, 3_600_000)).toBe(10)
})
