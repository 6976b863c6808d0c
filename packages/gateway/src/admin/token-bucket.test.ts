import { expect, test } from 'vitest'
import { TokenBucket } from './token-bucket.ts'

test('each second admits its amount and no more', () => {
  const bucket = new TokenBucket(1000, 0)
  const take = (now: number, ...amounts: number[]) => amounts.map((amount) => bucket.take(amount, now))
  expect(take(0, 600, 400, 1)).toEqual([true, true, false])
  expect(take(500, 501, 500)).toEqual([false, true])
  expect(take(100_000, 1001, 1000, 1)).toEqual([false, true, false])
})

test('a refilled bucket has a full second’s amount at once', () => {
  const bucket = new TokenBucket(2, 0)
  expect([bucket.take(2, 0), bucket.take(1, 0)]).toEqual([true, false])
  bucket.fill(0)
  expect([bucket.take(2, 0), bucket.take(1, 0)]).toEqual([true, false])
})
