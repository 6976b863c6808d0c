import { readConfig } from '@agentic-rest/testing/read-config'
import { expect, test } from 'vitest'
import { tenantShares } from '../limits/shares/tenant-shares.ts'
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

test('the limits of one tenant are divided too, at least 1 each, and follow from the divided whole where they are absent', () => {
  const limits = {
    max_in_flight: 80,
    max_in_flight_per_tenant: 5,
    max_upstream_connections_per_tenant: 1,
    max_upstream_queue_per_tenant: 0,
  }
  const partsOf = (gateway: Record<string, unknown>) =>
    [1, 2].map(
      (index) => divideLimits(readConfig({ gateway, routes: [] }), { index, count: 2 }).gateway.limits,
    )
  const parts = partsOf({ limits })
  expect(parts.map((part) => part.max_in_flight_per_tenant)).toEqual([3, 2])
  expect(parts.map((part) => part.max_upstream_connections_per_tenant)).toEqual([1, 1])
  expect(parts.map((part) => part.max_upstream_queue_per_tenant)).toEqual([0, 0])
  const derived = partsOf({ limits: { max_in_flight: 80 } })
  expect(derived.map((part) => tenantShares(part).inFlight)).toEqual([10, 10])
})
