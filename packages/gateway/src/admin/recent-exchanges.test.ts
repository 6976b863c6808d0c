import { expect, test } from 'vitest'
import { makeExchange } from '../../test/plugins/make-exchange.ts'
import { createRecentExchanges } from './recent-exchanges.ts'

test('a hundred thousand requests leave the newest, in the same objects', () => {
  const recent = createRecentExchanges(3)
  const exchange = makeExchange()
  const places = new Set<unknown>()
  for (let index = 0; index < 100_000; index += 1) {
    recent.add({ ...exchange, trace: { correlationId: `c-${index}`, requestId: 'r' } })
    if (index < 10) for (const place of recent.newestFirst()) places.add(place)
  }
  expect([...recent.newestFirst()].map(({ correlationId }) => correlationId)).toEqual([
    'c-99999',
    'c-99998',
    'c-99997',
  ])
  expect(places.size).toBe(3)
  expect([...recent.newestFirst()].every((place) => places.has(place))).toBe(true)
})

test('a ring that is not full has only the added requests', () => {
  const recent = createRecentExchanges(3)
  expect([...recent.newestFirst()]).toEqual([])
  recent.add(makeExchange())
  expect([...recent.newestFirst()]).toHaveLength(1)
})
