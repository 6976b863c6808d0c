import type { LimitOptions } from '../../config/config-schema.ts'

/** The bounds of one tenant, filled in where the configuration leaves them out. */
export interface TenantShares {
  readonly inFlight: number
  readonly upstreamConnections: number
  readonly upstreamQueue: number
  readonly bufferedBytes: number
}

/** At least 1: a tenant without any share could never be served. */
const share = (whole: number, part: number): number => Math.max(1, Math.floor(whole * part))

/** The share of one tenant in the process and in each upstream origin. */
export function tenantShares(limits: LimitOptions): TenantShares {
  const { max_in_flight, max_upstream_connections_per_origin: connections } = limits
  return {
    inFlight: limits.max_in_flight_per_tenant ?? share(max_in_flight, 1 / 4),
    // Rounded up: up to three connections are too few to keep one free.
    upstreamConnections: limits.max_upstream_connections_per_tenant ?? Math.ceil(connections * (3 / 4)),
    upstreamQueue: limits.max_upstream_queue_per_tenant ?? share(limits.max_upstream_queue_per_origin, 1 / 4),
    bufferedBytes:
      limits.max_buffered_bytes_per_tenant ??
      // A tenant can always hold the largest body, alone.
      Math.max(limits.max_body_bytes, share(limits.max_buffered_bytes, 1 / 4)),
  }
}
