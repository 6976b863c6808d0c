import type { LimitOptions, RouteConfig } from '../config/config-schema.ts'
import { readCertificates } from '../config/read-pem.ts'
import { type Connections, createConnections } from './http1/connections.ts'
import { originOf } from './http1/open-socket.ts'
import { createPlaces, type Places } from './places.ts'
import type { Held, Shared } from './shared.ts'

/** The connections to one origin, with a bound on what may wait for them. */
export interface UpstreamPool {
  readonly connections: Connections
  /** The id of the first route that goes there: its name in metrics, which must not show addresses. */
  readonly name: string
  readonly places: Places
  /** Ends every connection, whatever it does. */
  close(): void
}

/** Where a route leads: its connections, and the path that stands before its own. */
export interface UpstreamTarget {
  readonly pool: UpstreamPool
  /** Without a slash at its end; empty for the root. */
  readonly basePath: string
}

/** The pools of a configuration, one per origin: a slow service never takes another's connections. */
export interface UpstreamPools {
  get(route: RouteConfig): UpstreamTarget
  /** Gives the pools back; one that another configuration has too stays open. */
  close(): Promise<void>
}

/** Makes the pools for a set of routes, with those of the configuration before where nothing about them has changed. */
export function createUpstreamPools(
  routes: readonly RouteConfig[],
  limits: LimitOptions,
  shared: Shared<UpstreamPool>,
): UpstreamPools {
  const held = new Map<string, Held<UpstreamPool>>()
  // Addresses are taken apart here, once, and not with every request.
  const targets = new Map<RouteConfig, UpstreamTarget>()
  const close = async () => void (await Promise.all([...held.values()].map((pool) => pool.release())))
  try {
    for (const route of routes) {
      const key = poolKey(route)
      const pool = held.get(key) ?? holdPool(route, limits, shared)
      held.set(key, pool)
      targets.set(route, { pool: pool.value, basePath: new URL(route.target).pathname.replace(/\/$/, '') })
    }
  } catch (error) {
    void close()
    throw error
  }
  return {
    get(route) {
      const target = targets.get(route)
      if (target === undefined) throw new Error('the route belongs to another configuration')
      return target
    },
    close,
  }
}

/** Two routes share connections when they trust the same authorities for the same origin. */
function poolKey({ target, ca_file }: RouteConfig): string {
  return JSON.stringify([new URL(target).origin, ca_file ?? null])
}

/** A new certificate, limit or name makes a new pool: nothing of the old configuration may act in the new one. */
function holdPool(
  route: RouteConfig,
  limits: LimitOptions,
  shared: Shared<UpstreamPool>,
): Held<UpstreamPool> {
  const { max_upstream_connections_per_origin: connections, max_upstream_queue_per_origin: queue } = limits
  const trusted = authorities(route)
  const key = JSON.stringify([poolKey(route), trusted, route.id, connections, queue])
  return shared.hold(key, () => createPool(route, limits, trusted))
}

function createPool(route: RouteConfig, limits: LimitOptions, trusted: Authorities): UpstreamPool {
  const limit = limits.max_upstream_connections_per_origin
  const connections = createConnections(originOf(route.target, trusted.ca), new URL(route.target).host, limit)
  return {
    connections,
    name: route.id,
    places: createPlaces({ places: limit, waiting: limits.max_upstream_queue_per_origin }),
    close: connections.close,
  }
}

interface Authorities {
  readonly ca?: string[]
}

/** With a `ca_file` its certificates are the only ones that are trusted. */
function authorities({ id, ca_file }: RouteConfig): Authorities {
  if (ca_file === undefined) return {}
  return { ca: readCertificates(ca_file, `routes.${id}.ca_file`).map(String) }
}
