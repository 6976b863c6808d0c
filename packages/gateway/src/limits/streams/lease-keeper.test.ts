import { expect, test } from 'vitest'
import { OpenStreams } from './lease-keeper.ts'

const stream = (tenantId: string, streamId: string) => ({ tenantId, streamId })

test('streams are counted and listed by tenant, and end once', () => {
  const streams = new OpenStreams()
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

test('unreleased leases are remembered until they are released, the newest 10,000 of them', () => {
  const streams = new OpenStreams()
  const ended = Array.from({ length: 10_005 }, (_, index) => stream('a', String(index)))
  for (const each of ended) streams.addUnreleased(each)
  expect(streams.unreleased).toEqual(ended.slice(5))
  streams.removeUnreleased(ended.slice(0, 10_004))
  expect(streams.unreleased).toEqual(ended.slice(10_004))
})
