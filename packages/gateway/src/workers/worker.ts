import { dirname, resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { createWorkerRecords, type OtherWorkers } from '../admin/other-workers.ts'
import { type AuditFiles, createAuditFiles } from '../audit-log/audit-files.ts'
import type { GatewayConfig, LimitOptions } from '../config/config-schema.ts'
import { formatFaults } from '../config/faults.ts'
import { type ConfigResult, parseConfig } from '../config/parse-config.ts'
import type { Environment } from '../config/source/interpolation.ts'
import { InitialisationError } from '../errors.ts'
import { createGateway, type Gateway, type WorkerLink, type WorkerParts } from '../gateway.ts'
import { createKeyStore } from '../idempotency/create-key-store.ts'
import { createTurns } from '../lifetime/turns.ts'
import { createStreamSlots } from '../limits/streams/shared-slots.ts'
import { createHandedConnections } from '../listen/handed-connections.ts'
import { type Log, withFields } from '../log.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { loadPlugins } from '../plugins/custom/load-plugins.ts'
import { createSessionStore } from '../sessions/create-store.ts'
import {
  type Boot,
  Channel,
  type ConfigTexts,
  type Peer,
  type SupervisorChannel,
  type WorkerCalls,
} from './channel.ts'
import { createWorkerKeys } from './idempotency.ts'
import { createWorkerLimits } from './limits.ts'
import { createBatchedOutput } from './output.ts'
import { createWorkerSessions } from './sessions.ts'
import { createWorkerSlots } from './stream-slots.ts'

/** The process of a worker. */
export interface WorkerWorld {
  /** The supervisor: `process`. */
  readonly peer: Peer
  readonly env: Environment
  readonly version: string
  readonly stdout: Writable
  readonly openLog: (options: Boot['log']) => Log
}

/** Runs a worker from its start to the end of its drain; resolves with whether it ever took requests. */
export async function runWorker(world: WorkerWorld): Promise<boolean> {
  const calls: Partial<WorkerCalls> = {}
  const supervisor: SupervisorChannel = new Channel(world.peer, calls)
  const ending = Promise.withResolvers<void>()
  calls.drain = () => ending.resolve()
  // Without a supervisor no connection comes.
  world.peer.on('disconnect', () => ending.resolve())
  const boot = await supervisor.ask('boot')
  try {
    const gateway = await openGateway({ boot, world, supervisor, calls })
    await gateway.start()
    reportCounts(gateway.metrics, supervisor)
    await ending.promise
    await gateway.drain()
    supervisor.tell('counts', gateway.metrics.counts())
    return true
  } catch (error) {
    await supervisor.ask('failed', failureOf(error)).catch(() => undefined)
    return false
  }
}

function failureOf(error: unknown) {
  if (error instanceof InitialisationError) return { reason: error.message, isInitialisation: true }
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { reason, isInitialisation: false }
}

const REPORT_MS = 1000
/** With many series a report takes long; reports take at most one per cent of the time. */
const REPORT_PAUSE = 100

/** Sends the counts about once a second: little is lost when the worker is killed. */
function reportCounts(metrics: Metrics, supervisor: SupervisorChannel): void {
  const startedAt = performance.now()
  supervisor.tell('counts', metrics.counts())
  const pauseMs = Math.max(REPORT_MS, REPORT_PAUSE * (performance.now() - startedAt))
  setTimeout(reportCounts, pauseMs, metrics, supervisor).unref()
}

/** A worker between its start and its end. */
interface Session {
  readonly boot: Boot
  readonly world: WorkerWorld
  readonly supervisor: SupervisorChannel
  /** The functions that the supervisor calls. */
  readonly calls: Partial<WorkerCalls>
}

async function openGateway(session: Session): Promise<Gateway> {
  const { boot, world, supervisor } = session
  const { file, consoleFolder, sessionSecret } = boot
  const loaded = await loadPlugins(readConfig(session, boot))
  if (!loaded.ok) throw new InitialisationError(formatFaults(loaded.faults))
  const log = withFields(world.openLog(boot.log), { worker: boot.index })
  return createGateway({
    ...loaded,
    source: { file, read: () => loaded },
    log,
    stdout: boot.sharesStdout ? world.stdout : createBatchedOutput(world.stdout),
    baseFolder: dirname(resolve(file)),
    version: world.version,
    sessionSecret,
    openSessions: (sessions) =>
      sessions.shared === undefined ? createWorkerSessions(supervisor) : createSessionStore(sessions),
    admin: { consoleFolder, file },
    worker: (own) => createLink(session, own),
    auditFiles: createWorkerFiles(supervisor, log),
    limitStore: () => createWorkerLimits(supervisor),
    keyStore: (keys) =>
      keys.idempotency.store === 'shared' ? createKeyStore(keys) : createWorkerKeys(supervisor),
    streamSlots: (limit, slots) =>
      createWorkerSlots(supervisor, slots.shared && createStreamSlots(limit, slots)),
  })
}

const ADMIN_WORKER = 1

/** The configuration of one worker: its part of the divided limits, and the admin listener in worker 1 alone. */
function readConfig({ boot, world }: Session, { text, modules = {} }: ConfigTexts): ConfigResult {
  const result = parseConfig(text, { file: boot.file, env: world.env })
  if (!result.ok) return result
  const parsed = { ...result, modules }
  const config = divideLimits(parsed.config, boot)
  if (boot.index === ADMIN_WORKER) return { ...parsed, config }
  const { admin: _, ...gateway } = config.gateway
  return { ...parsed, config: { ...config, gateway } }
}

/** Gives a worker its part of the limits that are divided; the parts add up to the limit. */
export function divideLimits(
  config: GatewayConfig,
  { index, count }: Pick<Boot, 'index' | 'count'>,
): GatewayConfig {
  const { limits } = config.gateway
  const partOf = (whole: number) => Math.floor(whole / count) + (index <= whole % count ? 1 : 0)
  const divided = {
    // At least one, so that every worker can serve a request.
    max_in_flight: Math.max(1, partOf(limits.max_in_flight)),
    // Each worker can hold the largest body.
    max_buffered_bytes: Math.max(limits.max_body_bytes, partOf(limits.max_buffered_bytes)),
    max_upstream_connections_per_origin: partOf(limits.max_upstream_connections_per_origin),
    max_upstream_queue_per_origin: partOf(limits.max_upstream_queue_per_origin),
    ...tenantParts(limits, partOf),
  }
  return { ...config, gateway: { ...config.gateway, limits: { ...limits, ...divided } } }
}

const TENANT_LIMITS = [
  'max_in_flight_per_tenant',
  'max_buffered_bytes_per_tenant',
  'max_upstream_connections_per_tenant',
  'max_upstream_queue_per_tenant',
] as const

/** The parts of the limits of one tenant, at least 1 of each. An absent limit follows from the divided whole. */
function tenantParts(limits: LimitOptions, partOf: (whole: number) => number): Partial<LimitOptions> {
  const set = TENANT_LIMITS.flatMap((key) => (limits[key] === undefined ? [] : [[key, limits[key]] as const]))
  return Object.fromEntries(set.map(([key, whole]) => [key, Math.max(Math.min(1, whole), partOf(whole))]))
}

/** Connects the gateway of this worker with the supervisor, in both directions. */
function createLink(session: Session, own: WorkerParts): WorkerLink {
  const { boot, supervisor, calls } = session
  const turns = createTurns()
  const connections = createHandedConnections({
    open: () => supervisor.ask('ready', { adminPort: own.adminPort() }),
    report: (report) => supervisor.tell('connections', report),
    stop: () => supervisor.ask('stopAccepting').catch(() => undefined),
  })
  calls.connection = (_value, socket) => {
    if (socket !== undefined) connections.take(socket)
  }
  calls.metrics = () => own.metrics.values()
  calls.degraded = () => own.degraded()
  calls.receiveMcp = (message) => own.mcp.links.receive(message)
  own.mcp.links.connect((message) => supervisor.tell('relayMcp', message))
  calls.prepareReload = (texts) =>
    turns(async () => {
      const loaded = readConfig(session, texts)
      return loaded.ok ? await own.swap.prepare(loaded) : formatFaults(loaded.faults).split('\n')
    })
  calls.concludeReload = (result) =>
    turns(async () => {
      if (result.result === 'applied') await own.swap.apply()
      else await own.swap.discard(result.faults)
      own.reloading.last = result
    })
  const status: WorkerLink['status'] = {
    metrics: { expose: () => supervisor.ask('metrics') },
    degraded: () => supervisor.ask('degraded'),
  }
  // Nobody reads their records: each would cost its worker 3 µs.
  if (!boot.hasAdmin) return { connections, status }
  if (boot.index === ADMIN_WORKER)
    return { connections, status, otherWorkers: createOtherWorkers(supervisor) }
  const { watch, ...records } = createWorkerRecords(own)
  Object.assign(calls, records)
  return { connections, status, watch }
}

/** One process writes a file: a worker checks its settings and hands the records to the supervisor. */
function createWorkerFiles(supervisor: SupervisorChannel, log: Log): AuditFiles {
  const { check, close } = createAuditFiles({ log })
  return {
    check,
    // The supervisor has claimed the file.
    claim: () => undefined,
    async append(settings, batch) {
      const lost = await supervisor.ask('audit', { settings, batch })
      if (lost !== undefined) throw new Error(lost)
    },
    // The supervisor tells it once for all workers.
    degraded: () => [],
    close,
  }
}

function createOtherWorkers(supervisor: SupervisorChannel): OtherWorkers {
  return {
    reload: () => supervisor.ask('reload'),
    records: (correlationId) => supervisor.ask('records', correlationId),
    requests: (before) => supervisor.ask('requests', before),
    recent: (page) => supervisor.ask('recent', page),
    feed: () => supervisor.ask('feed'),
    usage: (tenant) => supervisor.ask('usage', tenant),
    exchanges: (wanted) => supervisor.ask('exchanges', wanted),
  }
}
