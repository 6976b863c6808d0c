import { expect, test } from 'vitest'
import { readConfig } from '../../test/harness/read-config.ts'
import { divideLimits } from './worker.ts'

test('the parts of all workers are the whole, and differ by one at most', () => {
  const limits = {
    max_upstream_connections_per_origin: 10,
    max_upstream_queue_per_origin: 3,
    max_in_flight: 7,
  }
  const config = readConfig({ gateway: { limits }, routes: [] })
  const parts = [1, 2, 3, 4].map((index) => divideLimits(config, { index, count: 4 }).gateway.limits)
  expect(parts.map((part) => part.max_upstream_connections_per_origin)).toEqual([3, 3, 2, 2])
  expect(parts.map((part) => part.max_upstream_queue_per_origin)).toEqual([1, 1, 1, 0])
  expect(parts.map((part) => part.max_in_flight)).toEqual([2, 2, 2, 1])
})

test('a worker may always work on one request', () => {
  const config = readConfig({ gateway: { limits: { max_in_flight: 1 } }, routes: [] })
  const parts = [1, 2].map((index) => divideLimits(config, { index, count: 2 }).gateway.limits)
  expect(parts.map((part) => part.max_in_flight)).toEqual([1, 1])
})
