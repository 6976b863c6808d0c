import { hash } from 'node:crypto'
import { originOf } from '@agentic-rest/http1'
import type { GatewayConfig, LimitOptions, RouteConfig } from '../config/config-schema.ts'
import type { Held, Shared } from './shared-resources.ts'
import { type GroupWorld, holdGroup } from './targets/create-group.ts'
import { type Destination, SoleTarget } from './targets/destination.ts'
import type { TargetGroup } from './targets/target-group.ts'
import { basePathOf, boundsOf, createPool, readTlsFiles, type UpstreamPool } from './upstream-pool.ts'

/** The pools of a configuration, one per origin: a slow service never takes another's connections. */
export interface UpstreamPools {
  get(route: RouteConfig): Destination
  /** The upstreams that routes use. */
  readonly groups: readonly TargetGroup[]
  /** Resolves when the names of upstreams have been resolved, or cannot be. */
  warm(): Promise<void>
  /** Releases the pools; pools that another configuration holds stay open. */
  close(): Promise<void>
}

/** The parts of the gateway that pools use. */
export interface PoolWorld extends GroupWorld {
  readonly pools: Shared<UpstreamPool>
}

/** Makes the pools for a set of routes. An unchanged pool of the previous configuration is reused. */
export function createUpstreamPools(config: GatewayConfig, world: PoolWorld): UpstreamPools {
  const { limits } = config.gateway
  const held = new Map<string, Held<UpstreamPool>>()
  const groups = new Map<string, Held<TargetGroup>>()
  // Addresses are parsed once, not with every request.
  const destinations = new Map<RouteConfig, Destination>()
  const close = async () =>
    void (await Promise.all([...held.values(), ...groups.values()].map((each) => each.release())))
  const groupOf = (name: string) => {
    const upstream = config.upstreams[name]
    if (upstream === undefined) throw new Error('the route names an unknown upstream')
    const group = groups.get(name) ?? holdGroup({ name, upstream, limits }, world)
    groups.set(name, group)
    return group.value
  }
  const targetOf = (route: RouteConfig, target: string) => {
    const key = poolKey(route, target)
    const pool = held.get(key) ?? holdPool(route, key, { target, limits, shared: world.pools })
    held.set(key, pool)
    const address = new URL(target)
    return new SoleTarget({ pool: pool.value, origin: address.origin, basePath: basePathOf(address) })
  }
  try {
    for (const route of config.routes) {
      const { target, upstream = '' } = route
      destinations.set(route, target === undefined ? groupOf(upstream) : targetOf(route, target))
    }
  } catch (error) {
    void close()
    throw error
  }
  return {
    get(route) {
      const destination = destinations.get(route)
      if (destination === undefined) throw new Error('the route belongs to another configuration')
      return destination
    },
    groups: [...groups.values()].map(({ value }) => value),
    async warm() {
      await Promise.all([...groups.values()].map(({ value }) => value.ready))
    },
    close,
  }
}

/** Routes share connections when they have the same origin, trusted authorities and client certificate. */
function poolKey({ ca_file, client_cert_file, client_key_file }: RouteConfig, target: string): string {
  return JSON.stringify([new URL(target).origin, ca_file, client_cert_file, client_key_file])
}

interface PoolSettings {
  readonly target: string
  readonly limits: LimitOptions
  readonly shared: Shared<UpstreamPool>
}

/** A changed certificate, limit or name makes a new pool: no old setting may act in a new configuration. */
function holdPool(
  route: RouteConfig,
  ownKey: string,
  { target, limits, shared }: PoolSettings,
): Held<UpstreamPool> {
  const bounds = boundsOf(limits)
  const tls = readTlsFiles(route, `routes.${route.id}`)
  // A digest: a private key does not belong into a key of a map.
  const content = hash('sha256', JSON.stringify(tls))
  const key = JSON.stringify([ownKey, content, route.id, bounds])
  return shared.hold(key, () => createPool(originOf(target, tls), route.id, bounds))
}
