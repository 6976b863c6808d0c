import { expect, test } from 'vitest'
import { createLivingStreams } from './living-streams.ts'

const stream = (tenantId: string, streamId: string) => ({ tenantId, streamId })

test('streams are counted and listed by tenant, and end once', () => {
  const streams = createLivingStreams()
  for (const each of [stream('__proto__', '1'), stream('__proto__', '2'), stream('b', '3')]) streams.add(each)
  expect([streams.held('__proto__'), streams.held('b'), streams.held('c')]).toEqual([2, 1, 0])
  expect(streams.byTenant()).toEqual([
    ['__proto__', ['1', '2']],
    ['b', ['3']],
  ])
  expect([streams.remove(stream('b', '3')), streams.remove(stream('b', '3'))]).toEqual([true, false])
  expect(streams.remove(stream('c', '9'))).toBe(false)
  expect(streams.byTenant()).toEqual([['__proto__', ['1', '2']]])
})

test('leases that are owed are kept until they are settled, the newest 10,000 of them', () => {
  const streams = createLivingStreams()
  const owed = Array.from({ length: 10_005 }, (_, index) => stream('a', String(index)))
  for (const each of owed) streams.owe(each)
  expect(streams.owed()).toEqual(owed.slice(5))
  streams.settle(owed.slice(0, 10_004))
  expect(streams.owed()).toEqual(owed.slice(10_004))
})
