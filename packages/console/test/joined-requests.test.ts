import { cpuRatio, type Work } from '@agentic-rest/testing/cpu-ratio'
import { expect, test } from 'vitest'
import { buildHops } from '../page/timeline/build-hops.ts'
import { gatewayRecord } from '../page/timeline/example-records.ts'
import { flattenHops } from '../page/timeline/flatten-hops.ts'

test('many requests, each caused by the one before, are joined in quadratic time at most', async () => {
  const recordsOf = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      gatewayRecord({
        part: 'gateway',
        requestId: `r-${index}`,
        actor: `a-${index}`,
        at: index * 10,
        took: 20_000 - index * 20,
        outcome: 'success',
      }),
    )
  const [many, few] = [recordsOf(800), recordsOf(200)]
  const bars = flattenHops(buildHops(many))
  expect(bars.map(({ depth }) => depth)).toEqual(many.map((_, index) => index))
  // Four times the requests take 16 times as long in quadratic time, and 64 times in cubic time.
  const below = 32
  const [work, reference] = [many, few].map((records) => () => flattenHops(buildHops(records))) as [
    Work,
    Work,
  ]
  expect(await cpuRatio({ work, reference, below })).toBeLessThan(below)
})
