import { hash } from 'node:crypto'
import type { LimitOptions, RouteConfig } from '../config/config-schema.ts'
import { readCertificates } from '../config/read-files.ts'
import { InitialisationError } from '../errors.ts'
import { loadKeyPair } from '../listen/key-pair.ts'
import { tenantShares } from '../shares/tenant-shares.ts'
import { type OriginTls, originOf } from './http1/connection.ts'
import { ConnectionPool } from './http1/connection-pool.ts'
import { Semaphore, type SemaphoreLimits } from './semaphore.ts'
import type { Held, Shared } from './shared-resources.ts'

/** The connections to one origin, with bounds on its concurrent and its waiting requests. */
export interface UpstreamPool {
  readonly connections: ConnectionPool
  /** The id of the first route to the origin: its name in metrics, which must not show addresses. */
  readonly name: string
  readonly permits: Semaphore
  /** Closes every connection, busy or idle. */
  close(): void
}

/** The target of a route: its connections, and the parts of its address. */
export interface UpstreamTarget {
  readonly pool: UpstreamPool
  readonly origin: string
  /** Without a slash at its end; empty for the root. */
  readonly basePath: string
}

/** The pools of a configuration, one per origin: a slow service never takes another's connections. */
export interface UpstreamPools {
  get(route: RouteConfig): UpstreamTarget
  /** Releases the pools; pools that another configuration holds stay open. */
  close(): Promise<void>
}

/** Makes the pools for a set of routes. An unchanged pool of the previous configuration is reused. */
export function createUpstreamPools(
  routes: readonly RouteConfig[],
  limits: LimitOptions,
  shared: Shared<UpstreamPool>,
): UpstreamPools {
  const held = new Map<string, Held<UpstreamPool>>()
  // Addresses are parsed once, not with every request.
  const targets = new Map<RouteConfig, UpstreamTarget>()
  const close = async () => void (await Promise.all([...held.values()].map((pool) => pool.release())))
  try {
    for (const route of routes) {
      const key = poolKey(route)
      const pool = held.get(key) ?? holdPool(route, limits, shared)
      held.set(key, pool)
      const { origin, pathname } = new URL(route.target)
      targets.set(route, { pool: pool.value, origin, basePath: pathname.replace(/\/$/, '') })
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

/** Routes share connections when they have the same origin, trusted authorities and client certificate. */
function poolKey({ target, ca_file, client_cert_file, client_key_file }: RouteConfig): string {
  return JSON.stringify([new URL(target).origin, ca_file, client_cert_file, client_key_file])
}

/** A changed certificate, limit or name makes a new pool: no old setting may act in a new configuration. */
function holdPool(
  route: RouteConfig,
  limits: LimitOptions,
  shared: Shared<UpstreamPool>,
): Held<UpstreamPool> {
  const bounds = boundsOf(limits)
  const tls = readTlsFiles(route)
  // A digest: a private key does not belong into a key of a map.
  const content = hash('sha256', JSON.stringify(tls))
  const key = JSON.stringify([poolKey(route), content, route.id, bounds])
  return shared.hold(key, () => createPool(route, bounds, tls))
}

function boundsOf(limits: LimitOptions): SemaphoreLimits {
  const { upstreamConnections, upstreamQueue } = tenantShares(limits)
  return {
    permits: limits.max_upstream_connections_per_origin,
    permitsPerTenant: upstreamConnections,
    queue: limits.max_upstream_queue_per_origin,
    queuePerTenant: upstreamQueue,
  }
}

function createPool(route: RouteConfig, bounds: SemaphoreLimits, tls: OriginTls): UpstreamPool {
  const connections = new ConnectionPool(originOf(route.target, tls), bounds.permits)
  return {
    connections,
    name: route.id,
    permits: new Semaphore(bounds),
    close: () => connections.close(),
  }
}

/** The certificates of `ca_file`, which are then the only trusted ones, and the gateway's own certificate with its key. */
function readTlsFiles({ id, ca_file, client_cert_file, client_key_file }: RouteConfig): OriginTls {
  const names = { cert: `routes.${id}.client_cert_file`, key: `routes.${id}.client_key_file` }
  if ((client_cert_file === undefined) !== (client_key_file === undefined))
    throw new InitialisationError(`${names.cert} and ${names.key} need each other`)
  return {
    ...(ca_file !== undefined && { ca: readCertificates(ca_file, `routes.${id}.ca_file`).map(String) }),
    ...(client_cert_file !== undefined &&
      client_key_file !== undefined &&
      loadKeyPair({
        cert: { file: client_cert_file, name: names.cert },
        key: { file: client_key_file, name: names.key },
        name: names.cert,
      })),
  }
}
