import type { buildConnector as Connector, Pool as UndiciPool } from 'undici'
import type { LimitOptions, RouteConfig } from '../config/config-schema.ts'
import { readCertificates } from '../read-pem.ts'
import type { Held, Shared } from '../shared.ts'
import { createPlaces, type Places } from './places.ts'
import { buildConnector, Pool } from './undici-parts.ts'

/** The connections to one origin, with a bound on what may wait for them. */
export interface UpstreamPool {
  readonly pool: UndiciPool
  /** Opens a connection for each request: to one that is sent again, another idle one may be as dead as the first. */
  readonly freshPool: UndiciPool
  /** The id of the first route that goes there: its name in metrics, which must not show addresses. */
  readonly name: string
  readonly places: Places
  /** Whether an error ended a connection that had served a request before: then it may have been idle too long. */
  wasReused(error: unknown): boolean
  /** Ends every connection, whatever it does. */
  close(): Promise<void>
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

const CONNECT_TIMEOUT_MS = 5000
// Below the 5 s after which usual servers drop an idle connection (F8).
const IDLE_TIMEOUT_MS = 4000
const MAX_RESPONSE_HEADER_BYTES = 16_384

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
  const resets = new WeakSet<object>()
  const connections = limits.max_upstream_connections_per_origin
  const { origin } = new URL(route.target)
  const options: UndiciPool.Options = {
    connections,
    allowH2: false,
    keepAliveTimeout: IDLE_TIMEOUT_MS,
    keepAliveMaxTimeout: IDLE_TIMEOUT_MS,
    maxHeaderSize: MAX_RESPONSE_HEADER_BYTES,
    // Deadlines are the exchange's own; undici's timers are half a second late (F7).
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: trackingConnector(trusted, resets),
  }
  const pool = new Pool(origin, { ...options, pipelining: 1 })
  const freshPool = new Pool(origin, { ...options, pipelining: 0 })
  return {
    pool,
    freshPool,
    name: route.id,
    places: createPlaces({ places: connections, waiting: limits.max_upstream_queue_per_origin }),
    wasReused: (error) => isReuse(error, resets),
    close: async () => void (await Promise.all([pool.destroy(), freshPool.destroy()])),
  }
}

/** Remembers errors of sockets that had already carried an answer. */
function trackingConnector(trusted: Authorities, resets: WeakSet<object>): Connector.connector {
  const connect = buildConnector({ ...trusted, timeout: CONNECT_TIMEOUT_MS, allowH2: false })
  return (options, callback) =>
    connect(options, (...result) => {
      const [, socket] = result
      socket?.prependListener('error', (error: NodeJS.ErrnoException) => {
        if (hasAnswered(socket)) resets.add(error)
        // undici takes ECONNRESET for the end of a body without length and would pass half an answer on as a whole one.
        if (error.code === 'ECONNRESET') error.code = 'ECONNABORTED'
      })
      callback(...result)
    })
}

interface Authorities {
  readonly ca?: string[]
}

/** With a `ca_file` its certificates are the only ones that are trusted. */
function authorities({ id, ca_file }: RouteConfig): Authorities {
  if (ca_file === undefined) return {}
  return { ca: readCertificates(ca_file, `routes.${id}.ca_file`).map(String) }
}

function isReuse(error: unknown, resets: WeakSet<object>): boolean {
  if (typeof error !== 'object' || error === null) return false
  return resets.has(error) || hasAnswered((error as { socket?: { bytesRead?: number } }).socket)
}

/** `HTTP/1.1 200` and two line ends. Less than that is no answer but a stray line end, which HTTP ignores. */
const SHORTEST_ANSWER_BYTES = 16

function hasAnswered(socket: { readonly bytesRead?: number } | undefined): boolean {
  return (socket?.bytesRead ?? 0) >= SHORTEST_ANSWER_BYTES
}
