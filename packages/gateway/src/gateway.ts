import type { Writable } from 'node:stream'
import { type AdminOptions, createAdmin } from './admin/admin.ts'
import { openBoth } from './admin/open-both.ts'
import { createRecordWatcher, type RecordTaker } from './admin/record-watcher.ts'
import { admit, answerPreflight } from './admit.ts'
import { callUpstream } from './call-upstream.ts'
import type { GatewayConfig } from './config/config-schema.ts'
import { cancelAll, drain } from './drain.ts'
import type { Exchange } from './exchange.ts'
import { findRoute } from './find-route.ts'
import type { GatewayParts } from './gateway-parts.ts'
import { createListener, type Listener } from './listen/listener.ts'
import { loadServerCertificate, type ServerCertificate } from './listen/server-certificate.ts'
import { createLoad } from './load.ts'
import type { Log } from './log.ts'
import { createMetrics, type Metrics, type UpstreamState } from './metrics.ts'
import { createOwnEndpoints } from './own-endpoints.ts'
import type { Plugin } from './plugin.ts'
import { fail, finish, sendOutcome } from './respond.ts'
import { createSnapshot } from './snapshot.ts'
import { createLocalStreamSlots } from './stream-slots.ts'
import { takeSlot } from './take-slot.ts'
import { createHttpClient } from './upstream/http-client.ts'
import type { UpstreamPool } from './upstream/pools.ts'

/** What a gateway is made of. */
export interface GatewayOptions {
  readonly config: GatewayConfig
  /** The folder that file names in the configuration start from. */
  readonly baseFolder: string
  readonly version: string
  readonly log: Log
  /** Where the audit exporter `stdout` writes. */
  readonly stdout: Writable
  /** What the admin listener gets, where `gateway.admin` turns it on. */
  readonly admin?: AdminOptions | undefined
  /** Also gets the record of every request, for the console of another gateway. */
  readonly onRecord?: RecordTaker | undefined
}

/** A gateway: it owns everything it uses, and nothing is left when it is closed. */
export interface Gateway {
  /** Resolves with the port once requests are answered; rejects with an `InitialisationError`. */
  start(): Promise<number>
  /** The port of the admin listener, once it is open. */
  readonly adminPort: number | undefined
  /** Finishes what is in flight, then ends. */
  drain(): Promise<void>
  /** Ends at once. */
  close(): Promise<void>
  readonly metrics: Metrics
}

/** The whole life of a request. Each step returns nothing to go on, or the outcome that ends the request. */
async function handle(exchange: Exchange, parts: GatewayParts): Promise<void> {
  if (parts.own.answer(exchange) || answerPreflight(exchange, parts)) return
  parts.load.enter(exchange)
  try {
    // The route is looked up first, so that whatever refuses a request is counted under its route.
    const unrouted = findRoute(exchange, parts)
    const refused =
      admit(exchange, parts) ??
      unrouted ??
      (await parts.snapshot.pipeline.request(exchange)) ??
      takeSlot(exchange, parts) ??
      (await callUpstream(exchange, parts))
    if (refused !== undefined) sendOutcome(exchange, refused)
  } catch (error) {
    fail(exchange, parts, error)
  } finally {
    finish(exchange, parts)
  }
}

/** Makes a gateway. Nothing is global: two of them in one process know nothing of each other. */
export function createGateway(options: GatewayOptions): Gateway {
  const { config, log } = options
  const certificate = config.gateway.tls && loadServerCertificate(config.gateway.tls)
  const state = { closing: false, draining: false, port: config.gateway.port }
  const http = createHttpClient()
  const load = createLoad(() => config.gateway.limits.max_in_flight)
  const metrics: Metrics = createMetrics({
    version: options.version,
    inFlight: () => load.inFlight,
    upstreams: () => snapshot.pools.all.map(upstreamState),
  })
  const snapshot = createSnapshot(config, { ...options, http, metrics })
  const own = createOwnEndpoints({
    metrics,
    isDraining: () => state.draining,
    degraded: () => degradedReasons(snapshot.pipeline.plugins),
  })
  const slots = createLocalStreamSlots(() => config.gateway.llm.max_sse_connections_per_tenant)
  const admin = createAdmin({ ...options, ...options.admin, snapshot, load, gatewayPort: () => state.port })
  const watchers = [admin?.watch, createRecordWatcher(options)].filter((watch) => watch !== undefined)
  const parts: GatewayParts = {
    snapshot,
    load,
    slots,
    metrics,
    own,
    log,
    watchers,
    isClosing: () => state.closing,
  }
  const listener = openListener(parts, certificate)
  const close = async () => {
    state.closing = true
    await cancelAll(load)
    await Promise.all([listener.close(), admin?.close()])
    await snapshot.pipeline.close()
    await Promise.all([snapshot.pools.close(), http.close()])
    load.close()
    metrics.close()
  }
  return {
    metrics,
    async start() {
      state.port = await openBoth(listener, admin)
      return state.port
    },
    get adminPort() {
      return admin?.port
    },
    drain: () => drain({ config: config.gateway, state, listener, load, log }).then(close),
    close,
  }
}

function openListener(parts: GatewayParts, certificate: ServerCertificate | undefined): Listener {
  const { gateway } = parts.snapshot.config
  return createListener({
    host: gateway.host,
    port: gateway.port,
    limits: gateway.limits,
    corsOrigins: gateway.cors?.origins,
    certificate,
    log: parts.log,
    handle: (exchange) => void handle(exchange, parts).catch((error) => abandon(exchange, parts, error)),
  })
}

/** The net below the line: a fault in answering or counting costs its request, never the process. */
function abandon(exchange: Exchange, { log }: GatewayParts, error: unknown): void {
  log.error('a request was abandoned', { request_id: exchange.trace.requestId, error })
  exchange.reply.destroy()
}

function degradedReasons(plugins: readonly Plugin[]): string[] {
  return plugins.flatMap((plugin) => {
    const reason = plugin.degraded?.()
    return reason === undefined ? [] : [`${plugin.name}: ${reason}`]
  })
}

function upstreamState({ name, pool, places }: UpstreamPool): UpstreamState {
  return { name, connections: pool.stats.connected, queued: places.waiting }
}
