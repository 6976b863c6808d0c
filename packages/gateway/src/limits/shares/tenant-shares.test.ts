import { readConfig } from '@agentic-rest/testing/read-config'
import { expect, it } from 'vitest'
import { tenantShares } from './tenant-shares.ts'

const sharesOf = (limits: Record<string, number>) =>
  tenantShares(readConfig({ gateway: { limits }, routes: [] }).gateway.limits)

it('gives a tenant a quarter of the process and three quarters of the connections to a service', () => {
  expect(sharesOf({})).toEqual({
    inFlight: 1024,
    upstreamConnections: 768,
    upstreamQueue: 256,
    bufferedBytes: 64 * 1024 ** 2,
  })
})

it('gives a tenant at least one of everything', () => {
  const smallest = {
    max_buffered_bytes: 1,
    max_body_bytes: 1,
    max_in_flight: 1,
    max_upstream_connections_per_origin: 1,
    max_upstream_queue_per_origin: 0,
  }
  expect(sharesOf(smallest)).toEqual({
    inFlight: 1,
    upstreamConnections: 1,
    upstreamQueue: 1,
    bufferedBytes: 1,
  })
})

it('takes the configured numbers', () => {
  const own = {
    max_in_flight_per_tenant: 7,
    max_upstream_connections_per_tenant: 8,
    max_upstream_queue_per_tenant: 0,
    max_buffered_bytes_per_tenant: 9,
  }
  expect(sharesOf(own)).toEqual({ inFlight: 7, upstreamConnections: 8, upstreamQueue: 0, bufferedBytes: 9 })
})
