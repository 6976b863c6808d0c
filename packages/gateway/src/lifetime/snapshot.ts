import { createHash } from 'node:crypto'
import type { GatewayConfig } from '../config/config-schema.ts'
import type { BuiltInName } from '../config/schema/plugin-sections.ts'
import { withSecrets } from '../config/secret-files.ts'
import { type LoadedConfig, type ToldWarning, toldWarnings } from '../config/warnings.ts'
import { InitialisationError } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import { type ActiveExchanges, createActiveExchanges } from '../limits/in-flight/active-exchanges.ts'
import { type ClientAddress, type ClientPath, createClientPath } from '../listen/client-address.ts'
import { loadServerCertificate, type ServerCertificate } from '../listen/key-pair.ts'
import type { Log } from '../log.ts'
import type { McpWorld } from '../mcp/mcp-links.ts'
import { McpMount } from '../mcp/mcp-mount.ts'
import type { RouteOf } from '../mcp/tool-routes.ts'
import type { PipelinePlugin } from '../plugin.ts'
import type { LoadedPlugin } from '../plugins/custom/load-plugins.ts'
import { createPlugins, type PluginWorld } from '../plugins/plugin-set.ts'
import { createPeople, type People } from '../sessions/people.ts'
import type { SessionListener, SessionStore } from '../sessions/session-store.ts'
import { createUpstreamPools, type PoolWorld, type UpstreamPools } from '../upstream/pools.ts'
import { IdentitySigner } from '../upstream/signed-identity.ts'
import { cancelAll } from './drain.ts'
import { createRouter, type Router } from './router.ts'

/** Everything made from one configuration. A request keeps the snapshot it started with. */
export interface Snapshot {
  readonly config: GatewayConfig
  readonly warnings: readonly ToldWarning[]
  readonly loadedAt: Date
  readonly router: Router
  /** The plugins, in the order in which a request passes them. */
  readonly plugins: readonly PipelinePlugin[]
  /** The one of them that judges tokens. */
  readonly validator: PipelinePlugin
  readonly pools: UpstreamPools
  /** The certificate of the main listener, where it has one. */
  readonly certificate: ServerCertificate | undefined
  /** The certificate of the admin listener, where it has one. */
  readonly adminCertificate: ServerCertificate | undefined
  /** Signs callers for the services, where the gateway has a key. */
  readonly signer: IdentitySigner | undefined
  readonly clientPath: ClientPath
  /** The sessions of browsers and the way to sign in, by listener. */
  readonly people: Readonly<Record<SessionListener, People>>
  /** Why people cannot sign in, if they cannot. */
  readonly signInFault: () => string | undefined
  /** The endpoint for MCP clients, where it is on. */
  readonly mcp: McpMount | undefined
  /** The unfinished requests that started with it. */
  readonly requests: ActiveExchanges
  /** Resolves when every plugin has its resources, or knows that they are not available. */
  warm(): Promise<void>
  /** Releases everything; safe to call again. */
  close(): Promise<void>
}

/** A configuration with its custom plugins. */
export interface SnapshotSource extends LoadedConfig {
  readonly customPlugins?: readonly LoadedPlugin[] | undefined
}

/** The parts of the gateway that outlive a snapshot. */
export interface SnapshotWorld
  extends Omit<PluginWorld, 'configVersion' | 'clientAddress'>,
    Omit<PoolWorld, 'metrics'> {
  /** Whether the warnings of a configuration are logged here. */
  readonly logsWarnings: boolean
  /** Seals the sessions of browsers without files for it. */
  readonly sessionSecret: string
  readonly sessionStore: SessionStore
  readonly mcp: McpWorld
  /** The version that MCP clients see. */
  readonly version: string
}

/** Provisions a configuration. Throws an `InitialisationError` when a part of it cannot work, and leaves nothing open. */
export function createSnapshot(loaded: SnapshotSource, world: SnapshotWorld): Snapshot {
  const { config, customPlugins: custom = [] } = loaded
  const { routes, gateway } = config
  const warnings = toldWarnings(loaded)
  // Every configuration reports its warnings once, however the gateway is run.
  if (world.logsWarnings) for (const { id, text } of warnings) world.log.warn(text, { warning: id })
  const certificate = gateway.tls && loadServerCertificate(gateway.tls, 'gateway.tls')
  const adminTls = gateway.admin?.tls
  const adminCertificate = adminTls && loadServerCertificate(adminTls, 'gateway.admin.tls')
  const signer = gateway.identity && new IdentitySigner(gateway.identity)
  const router = createRouter(routes)
  const sources = { sections: withSecrets(config.plugins, ['plugins']), custom, limits: gateway }
  const clientPath = createClientPath(gateway.trusted_proxies)
  const clientAddress: ClientAddress = (request) => clientPath(request)[0]
  const plugins = createPlugins(sources, { ...world, clientAddress, configVersion: versionOf(config) })
  const validator = pluginOf(plugins, 'token-validator')
  const audit = pluginOf(plugins, 'otel-audit').record
  const people = createPeople(gateway, {
    ...world,
    validator,
    audit,
    clientAddress,
    limits: world.limits.store,
  })
  const { pools, mcp } = createPools(config, world, plugins)
  return {
    config,
    warnings,
    loadedAt: new Date(),
    router,
    plugins,
    validator,
    pools,
    certificate,
    adminCertificate,
    signer,
    clientPath,
    people: people.listeners,
    signInFault: people.degraded,
    mcp,
    requests: createActiveExchanges('positionInSnapshot'),
    async warm() {
      const ready = [...plugins.map((plugin) => plugin.warm?.()), pools.warm(), mcp?.ready(), people.warm()]
      await Promise.allSettled(ready)
    },
    close: once(async () => {
      mcp?.close()
      await closePlugins(plugins)
      await pools.close()
    }),
  }
}

function pluginOf(plugins: readonly PipelinePlugin[], wanted: BuiltInName): PipelinePlugin {
  const plugin = plugins.find(({ name }) => name === wanted)
  if (plugin === undefined) throw new InitialisationError(`there is no ${wanted}`)
  return plugin
}

function once(run: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= run()
    return done
  }
}

async function closePlugins(plugins: readonly PipelinePlugin[]): Promise<void> {
  await Promise.allSettled(plugins.map((plugin) => plugin.close?.()))
}

/** The connections to the services, and the endpoint that offers them as tools. */
function createPools(config: GatewayConfig, world: SnapshotWorld, plugins: readonly PipelinePlugin[]) {
  const { mcp: section } = config
  let pools: UpstreamPools | undefined
  try {
    pools = createUpstreamPools(config, world)
    const { log, version } = world
    const router = createRouter(config.routes)
    const routeOf: RouteOf = (path) => {
      const match = router.match('GET', path)
      return match.route !== undefined && !match.isNeighbour ? match.route : undefined
    }
    const options = { ...world.mcp, version, log, config, pools, routeOf }
    return { pools, mcp: section && new McpMount({ ...options, section }) }
  } catch (error) {
    void closePlugins(plugins)
    void pools?.close()
    throw error
  }
}

function versionOf(config: GatewayConfig): string {
  return createHash('sha256').update(JSON.stringify(config)).digest('hex')
}

/** The snapshot of the next request, and former ones that requests still use. */
export interface Snapshots {
  readonly current: Snapshot
  /** Replaces the current one, which closes with its last request. */
  replace(next: Snapshot): void
  /** Closes all of them. */
  close(): Promise<void>
}

/**
 * Former snapshots that may be in use at a time. Deadlines end most requests soon; only streams without a deadline could
 * keep snapshots for ever. Above this number the requests of the oldest are cancelled.
 */
export const MAX_FORMER = 8

/** Starts with the snapshot of the configuration at start. */
export function createSnapshots(first: Snapshot, log: Log): Snapshots {
  const former = new Set<Snapshot>()
  let current = first
  const close = async (old: Snapshot) => {
    await old.close().catch((error) => log.error('a former configuration did not close', { error }))
    former.delete(old)
  }
  return {
    get current() {
      return current
    },
    replace(next) {
      const old = current
      current = next
      former.add(old)
      for (const { requests } of former) endStreamsOfRemovedIssuers(requests, next.config)
      old.requests.whenIdle(() => void close(old))
      endSurplus(former, log)
    },
    async close() {
      await Promise.all([...former, current].map(close))
    },
  }
}

/** A stream lasts long after its token was checked; it must not outlast the trust in the issuer. */
function endStreamsOfRemovedIssuers({ active }: ActiveExchanges, { plugins }: GatewayConfig): void {
  const { mode, issuers } = plugins['token-validator']
  if (mode === 'off') return
  const known = new Set(issuers.map(({ issuer }) => issuer))
  const removed = active.filter(
    (exchange) => mayStream(exchange) && exchange.identity && !known.has(exchange.identity.issuer),
  )
  for (const { signal } of removed) signal.cancel('unknown_issuer')
}

/**
 * A request of such a route without an answer may still become a stream. One to the MCP endpoint has no route; it may
 * listen for hours, or wait for a person before its call has an effect.
 */
function mayStream({ slot, route, reply }: Exchange): boolean {
  return slot === 'taken' || route === undefined || (route.mode === 'sse' && !reply.isHeadSent)
}

function endSurplus(former: ReadonlySet<Snapshot>, log: Log): void {
  const [oldest, ...rest] = [...former].filter(({ requests }) => requests.active.length > 0)
  if (oldest === undefined || rest.length < MAX_FORMER) return
  const cancelled = oldest.requests.active.length
  log.warn('too many configurations are in use: requests of the oldest are ended', { cancelled })
  void cancelAll(oldest.requests)
}
