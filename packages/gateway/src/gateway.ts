import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { parseOwnJson } from '@agentic-rest/profile'
import { type AdminOptions, createAdmin, openBoth } from './admin/admin.ts'
import type { OtherWorkers } from './admin/other-workers.ts'
import { createRecordWatcher, type RecordTaker } from './admin/recent-exchanges.ts'
import { type AuditFiles, createAuditFiles } from './audit-log/audit-files.ts'
import type { GatewaySection } from './config/config-schema.ts'
import { keepsKeys } from './config/warnings.ts'
import type { Exchange } from './exchange.ts'
import { createKeyStore } from './idempotency/create-key-store.ts'
import { KEYS_AWAY, type KeyStore } from './idempotency/key-store.ts'
import { cancelAll, drain } from './lifetime/drain.ts'
import {
  type ConfigSource,
  type ConfigSwap,
  createReloading,
  createSnapshotSwap,
  type Reloading,
  type ReloadResult,
} from './lifetime/reload.ts'
import { createSnapshot, createSnapshots, type Snapshot, type SnapshotSource } from './lifetime/snapshot.ts'
import { createLoad, type Load } from './limits/in-flight/load.ts'
import { createLimitStore } from './limits/policies/create-store.ts'
import { LIMITS_ALONE, type LimitStore } from './limits/policies/limit-store.ts'
import { createStreamSlots } from './limits/streams/shared-slots.ts'
import type { StreamSlots } from './limits/streams/stream-slots.ts'
import { UsageLedger } from './limits/usage/usage-ledger.ts'
import { handle } from './line/handle.ts'
import type { GatewayStatus, Parts, Watcher } from './line/parts.ts'
import { createReasonLog } from './line/reason-log.ts'
import {
  type ConnectionSource,
  createListener,
  type Listener,
  type ListenerSettings,
} from './listen/listener.ts'
import { createLog, type Log } from './log.ts'
import { createMcpWorld, type McpWorld } from './mcp/mcp-links.ts'
import { createRedisRelay } from './mcp/redis-relay.ts'
import { createMetrics, type Metrics, type TargetUp, type UpstreamState } from './metrics/metrics.ts'
import type { Closable } from './plugin.ts'
import { checkGivenPlugins, type GivenPlugin, type LoadedPlugin } from './plugins/custom/load-plugins.ts'
import { createSessionStore } from './sessions/create-store.ts'
import { SESSIONS_AWAY, type SessionStore } from './sessions/session-store.ts'
import { createHttpClient } from './upstream/http-client.ts'
import type { PoolWorld } from './upstream/pools.ts'
import { createShared } from './upstream/shared-resources.ts'
import { createSharedGroups } from './upstream/targets/create-group.ts'
import type { TargetGroup } from './upstream/targets/target-group.ts'
import { isOut } from './upstream/targets/target-state.ts'
import type { UpstreamPool } from './upstream/upstream-pool.ts'

/** Everything a gateway is made with. */
export interface GatewayOptions extends SnapshotSource {
  /** Plugins of the program, after those of the file at the same place. A reload keeps them. */
  readonly plugins?: readonly GivenPlugin[] | undefined
  /** The folder that plugins start relative file names from. Default: the working folder. */
  readonly baseFolder?: string
  /** The version in metrics and console. Default: the version of this package. */
  readonly version?: string
  /** Default: JSON lines on stderr, from level info. */
  readonly log?: Log
  /** Where the audit exporter `stdout` writes. Default: stdout of the process. */
  readonly stdout?: Writable
  /** Options of the admin listener, where `gateway.admin` turns it on. */
  readonly admin?: AdminOptions | undefined
  /** Receives the record of every request, for the console of another gateway. */
  readonly onRecord?: RecordTaker | undefined
  /** The source that a reload reads; without it every reload is refused. */
  readonly source?: ConfigSource | undefined
  /** Links this process to its supervisor, if it is one worker of several. */
  readonly worker?: ((own: WorkerParts) => WorkerLink) | undefined
  /** Makes the store of the tenants' stream slots; by default in this process, or in Redis with `gateway.shared`. */
  readonly streamSlots?: typeof createStreamSlots | undefined
  /** Makes the store of the limits; by default in this process, or in Redis with `gateway.shared`. */
  readonly limitStore?: typeof createLimitStore | undefined
  /** Makes the store of idempotency keys; by default in this process, or in Redis with `store: shared`. */
  readonly keyStore?: typeof createKeyStore | undefined
  /** The files of the audit exporter `file`; by default this process writes them itself. */
  readonly auditFiles?: AuditFiles | undefined
  /** Seals the sessions of browsers without files for it. Default: a random text. */
  readonly sessionSecret?: string | undefined
  /** Makes the store of browsers' sessions; by default in this process, or in Redis with `gateway.shared`. */
  readonly openSessions?: typeof createSessionStore | undefined
}

/** The parts of a worker that its supervisor asks about. */
export interface WorkerParts {
  readonly metrics: Metrics
  readonly load: Load
  readonly swap: ConfigSwap
  readonly reloading: Reloading
  readonly current: () => Snapshot
  readonly degraded: () => readonly string[]
  readonly adminPort: () => number | undefined
  readonly ledger: UsageLedger
  readonly mcp: McpWorld
}

/** The parts of a worker that its supervisor provides. */
export interface WorkerLink {
  /** The connections that the supervisor accepts. */
  readonly connections: ConnectionSource
  /** The status of all workers. */
  readonly status: Omit<GatewayStatus, 'isDraining'>
  /** The other workers, for the admin listener of this one. */
  readonly otherWorkers?: OtherWorkers
  /** Watches requests for the admin listener of another worker. */
  readonly watch?: Watcher
}

/** A gateway: it owns everything it uses, and nothing is left when it is closed. */
export interface Gateway {
  /** Resolves with the port once requests are answered; rejects with an `InitialisationError`. */
  start(): Promise<number>
  /** The port of the admin listener, once it is open. */
  readonly adminPort: number | undefined
  /** Reads the source again and applies the configuration completely, or refuses it completely. */
  reload(): Promise<ReloadResult>
  /** Finishes the requests in flight, then closes. */
  drain(): Promise<void>
  /** Closes at once. */
  close(): Promise<void>
  readonly metrics: Metrics
}

/** Makes a gateway. Nothing is global: two of them in one process know nothing of each other. */
export function createGateway(wanted: GatewayOptions): Gateway {
  const options = withDefaults(wanted)
  const { log, logs, source, given, auditFiles, sessionStore } = options
  const state = { closing: false, draining: false, port: options.config.gateway.port }
  const isClosing = () => state.closing
  const http = createHttpClient()
  const gatewayConfig = () => snapshots.current.config.gateway
  const load = createLoad(() => gatewayConfig().limits)
  const gatewayPort = () => state.port
  const mcp = openMcp(options, gatewayPort)
  const outlasting = { http, mcp, ...createSharedPools(), waits: load, resources: createShared<Closable>() }
  const metrics = createMetrics({
    version: options.version,
    load,
    upstreams: () => upstreamStates(outlasting),
    targets: () => snapshots.current.pools.groups.flatMap(targetsUp),
    streamLimit: () => streamLimit(gatewayConfig(), stores.slots),
    budgets: () => limits.store.budgetUse(),
    elicitations: () => mcp.links.pendingElicitations,
    sessions: () => sessionStore.count(),
  })
  const limits = openLimits(options, metrics)
  const world = { ...options, ...outlasting, limits, metrics }
  const provision = (loaded: SnapshotSource) => createSnapshot(withPlugins(loaded, given), world)
  const snapshots = createSnapshots(provision(options), log)
  const current = () => snapshots.current
  const swap = createSnapshotSwap({ source, provision, use, isClosing, log })
  const reloading = createReloading({ source, current, swap, metrics, log })
  const degraded = () => degradedReasons(current(), reloading, { ...options, ...stores, limits })
  const adminPort = () => admin?.port
  const own = { metrics, load, swap, reloading, current, degraded, adminPort, mcp, ...limits }
  const link = options.worker?.(own)
  const status = { metrics, degraded, ...link?.status, isDraining: () => state.draining }
  const stores = { slots: openSlots(options, gatewayConfig, metrics), keys: openKeys(options) }
  const seen = { current, reloading, load, limits, gatewayPort, status, otherWorkers: link?.otherWorkers }
  const admin = createAdmin({ ...options, ...options.admin, ...seen, passOn: (each) => run(each, parts) })
  const watchers = definedOf([admin?.watch, link?.watch, createRecordWatcher(options)])
  let parts: Parts = { snapshot: current(), load, ...stores, metrics, status, ...logs, watchers, isClosing }
  const listener = openListener(() => parts, link?.connections)
  function use(next: Snapshot): void {
    listener.apply(listenerSettings(next))
    admin?.apply(next)
    snapshots.replace(next)
    parts = { ...parts, snapshot: next }
    mcp.links.toolsChanged()
  }
  const close = async () => {
    state.closing = true
    await cancelAll(load)
    const outside = [auditFiles, limits.store, sessionStore, mcp.links, http]
    const listeners = definedOf([listener, admin])
    await closeInOrder(listeners, Object.values(stores), [snapshots], outside, [load, metrics])
  }
  return {
    metrics,
    async start() {
      await warm({ snapshot: current(), ...stores, limits, auditFiles })
      state.port = await openBoth(listener, admin)
      return state.port
    },
    get adminPort() {
      return admin?.port
    },
    reload: reloading.run,
    drain: () => drain({ config: gatewayConfig(), state, listener, load, log, ...mcp }).then(close),
    close,
  }
}

/** Closes groups of parts, each after the one before it. */
async function closeInOrder(...groups: readonly (readonly Closable[])[]): Promise<void> {
  for (const parts of groups) await Promise.all(parts.map((part) => part.close()))
}

/** The parts whose state is not in a snapshot. */
interface Stores extends Pick<Parts, 'slots' | 'keys'> {
  readonly limits: { readonly store: LimitStore }
  readonly auditFiles: AuditFiles
}

/** Claims the audit files, and waits for the parts that the first request needs. */
async function warm({ snapshot, slots, keys, limits, auditFiles }: Stores & Pick<Parts, 'snapshot'>) {
  const { config, mcp } = snapshot
  auditFiles.claim(config)
  const isLimited = config.gateway.rate_limits.length > 0
  const isKeyed = config.routes.some(keepsKeys)
  await Promise.all([
    slots.warm?.(),
    isLimited && limits.store.warm?.(),
    isKeyed && keys.warm?.(),
    mcp?.load(),
  ])
}

function definedOf<Part>(parts: readonly (Part | undefined)[]): Part[] {
  return parts.filter((part) => part !== undefined)
}

function openSlots(
  { streamSlots = createStreamSlots, log, config }: ReturnType<typeof withDefaults>,
  current: () => GatewaySection,
  metrics: Metrics,
): StreamSlots {
  const { shared } = config.gateway
  return streamSlots(() => current().llm.max_sse_connections_per_tenant, { shared, log, metrics })
}

/** Workers without `gateway.shared` share their slots too, but only with each other: together they are one gateway. */
function streamLimit({ shared, llm }: GatewaySection, slots: StreamSlots) {
  const scope = shared === undefined ? 'local' : slots.scope()
  return { limit: llm.max_sse_connections_per_tenant, scope }
}

/** The keys outlive every configuration: a reload forgets none. */
function openKeys({ keyStore = createKeyStore, log, config }: ReturnType<typeof withDefaults>): KeyStore {
  const { shared, idempotency } = config.gateway
  return keyStore({ shared, idempotency, log })
}

/** The counts of the limits outlive every configuration: the last requests of a snapshot settle their reservations. */
function openLimits(options: ReturnType<typeof withDefaults>, metrics: Metrics) {
  const { limitStore = createLimitStore, log, config } = options
  const { shared } = config.gateway
  return { store: limitStore({ shared, log, metrics }), ledger: new UsageLedger() }
}

/** Only gateways of one Redis pass answers of MCP clients on to each other. */
function openMcp({ config, log }: ReturnType<typeof withDefaults>, port: () => number): McpWorld {
  const { shared } = config.gateway
  return createMcpWorld(port, shared && ((own) => createRedisRelay({ ...own, shared, log })))
}

function withDefaults(options: GatewayOptions) {
  const {
    baseFolder = process.cwd(),
    version = ownVersion(),
    log = createLog({ level: 'info', pretty: false, write: (line) => void process.stderr.write(line) }),
    stdout = process.stdout,
  } = options
  const { auditFiles = createAuditFiles({ log }), sessionSecret = createSessionSecret() } = options
  const { openSessions = createSessionStore } = options
  const sessionStore = openSessions({ shared: options.config.gateway.shared, log })
  // The supervisor logs the warnings for its workers.
  const logsWarnings = options.worker === undefined
  const logs = { log, reasonLog: createReasonLog(log) }
  const kept = { auditFiles, sessionSecret, sessionStore }
  const given = checkGivenPlugins(options.plugins ?? [])
  return { ...options, baseFolder, version, log, logs, stdout, given, ...kept, logsWarnings }
}

/** A secret that only this gateway has: it seals what must come back to it. */
export function createSessionSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** The same path from the source and from the build. */
function ownVersion(): string {
  const manifest = parseOwnJson(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return (manifest as { version: string }).version
}

function withPlugins(loaded: SnapshotSource, given: readonly LoadedPlugin[]): SnapshotSource {
  return { ...loaded, customPlugins: [...(loaded.customPlugins ?? []), ...given] }
}

/** A request uses the parts of the moment it arrived, until its end. */
function openListener(partsNow: () => Parts, connections?: ConnectionSource): Listener {
  const { snapshot, log } = partsNow()
  const { host, port } = snapshot.config.gateway
  return createListener({
    ...listenerSettings(snapshot),
    host,
    port,
    log,
    connections,
    handle: (exchange) => run(exchange, partsNow()),
    onMalformed(refused) {
      const { metrics, reasonLog } = partsNow()
      metrics.malformedRefused(refused.status)
      reasonLog.tellMalformed(refused)
    },
  })
}

function listenerSettings({ config: { gateway }, certificate }: Snapshot): ListenerSettings {
  return { limits: gateway.limits, corsOrigins: gateway.cors?.origins, certificate }
}

function run(exchange: Exchange, parts: Parts): void {
  void handle(exchange, parts).catch((error) => abandon(exchange, parts, error))
}

/** Last resort: an error in `fail` or `finish` ends its request, never the process. */
function abandon(exchange: Exchange, { log, snapshot }: Parts, error: unknown): void {
  snapshot.requests.leave(exchange)
  log.error('a request was abandoned', { request_id: exchange.trace.requestId, error })
  exchange.reply.destroy()
}

/** Why the gateway is less than ready without being unready. The text is public: it names no file and no key. */
function degradedReasons(
  { plugins, config, pools, mcp, signInFault }: Snapshot,
  { last }: Reloading,
  { slots, keys, limits, auditFiles, sessionStore }: Stores & { readonly sessionStore: SessionStore },
): string[] {
  const reasons = last?.result === 'refused' ? ['configuration: the last reload was refused'] : []
  if (config.gateway.shared !== undefined && slots.scope() === 'local')
    reasons.push('shared limits: the store is out of reach, this gateway keeps the stream limit for itself')
  if (config.gateway.rate_limits.length > 0 && limits.store.scope() === 'local') reasons.push(LIMITS_ALONE)
  if (config.routes.some(keepsKeys) && !keys.isReachable()) reasons.push(KEYS_AWAY)
  if (!sessionStore.isReachable()) reasons.push(SESSIONS_AWAY)
  const fault = signInFault()
  if (fault !== undefined) reasons.push(fault)
  reasons.push(...auditFiles.degraded())
  reasons.push(...pools.groups.flatMap(groupReasons))
  reasons.push(...(mcp?.degraded() ?? []))
  for (const { name, degraded } of plugins) {
    const reason = degraded?.()
    if (reason !== undefined) reasons.push(`${name}: ${reason}`)
  }
  return reasons
}

/** Why an upstream is less than ready. */
function groupReasons({ name, states, isStale }: TargetGroup): string[] {
  const out = states.filter(({ condition }) => isOut(condition)).length
  return [
    ...(out > 0 ? [`upstream ${name}: ${out} of ${states.length} targets are out`] : []),
    ...(isStale ? [`upstream ${name}: its name cannot be resolved`] : []),
  ]
}

function targetsUp({ name, states }: TargetGroup): TargetUp[] {
  return states.map(({ number, condition }) => ({
    upstream: name,
    target: number,
    isUp: !isOut(condition),
  }))
}

function createSharedPools(): Pick<PoolWorld, 'pools' | 'sharedGroups'> {
  return { pools: createShared<UpstreamPool>(), sharedGroups: createSharedGroups() }
}

function upstreamStates({ pools, sharedGroups }: Pick<PoolWorld, 'pools' | 'sharedGroups'>): UpstreamState[] {
  const all = [...pools.all, ...sharedGroups.targets.all.map(({ pool }) => pool)]
  return all.map(({ name, connections, permits }) => ({
    name,
    connections: connections.count,
    queued: permits.waiting,
  }))
}
