import type { GatewayConfig } from '../config/config-schema.ts'

/** One of so many workers; the first is 1. */
export interface Place {
  readonly index: number
  readonly count: number
}

/** The configuration as one worker keeps it: of what is divided among all it has its part, and the parts are the whole. */
export function divideLimits(config: GatewayConfig, place: Place): GatewayConfig {
  const { limits } = config.gateway
  const divided = {
    // At least one, so that every worker can serve a request.
    max_in_flight: Math.max(1, partOf(limits.max_in_flight, place)),
    max_upstream_connections_per_origin: partOf(limits.max_upstream_connections_per_origin, place),
    max_upstream_queue_per_origin: partOf(limits.max_upstream_queue_per_origin, place),
  }
  return { ...config, gateway: { ...config.gateway, limits: { ...limits, ...divided } } }
}

function partOf(whole: number, { index, count }: Place): number {
  return Math.floor(whole / count) + (index <= whole % count ? 1 : 0)
}
