import type { Writable } from 'node:stream'
import { type AuditFiles, createAuditFiles } from '../audit-log/audit-files.ts'
import { toldWarnings } from '../config/warnings.ts'
import { createSessionSecret, type Gateway } from '../gateway.ts'
import { keyTimes } from '../idempotency/key-store.ts'
import { MemoryKeys } from '../idempotency/memory-keys.ts'
import {
  type ConfigSource,
  createReloading,
  type Reloading,
  type ReloadResult,
  type ValidConfig,
} from '../lifetime/reload.ts'
import { inTurn, settledWithin } from '../lifetime/turns.ts'
import { createLimitStore } from '../limits/policies/create-store.ts'
import { LIMITS_ALONE, type LimitStore } from '../limits/policies/limit-store.ts'
import { emptyAcceptQueue } from '../listen/accept-queue.ts'
import { ConnectionSpread } from '../listen/connection-spread.ts'
import { type Acceptor, createAcceptor } from '../listen/handed-connections.ts'
import type { Log } from '../log.ts'
import type { Exposition } from '../metrics/registry.ts'
import { pinModules } from '../plugins/custom/import-module.ts'
import { createDropReport, MemorySessions } from '../sessions/session-store.ts'
import type { Boot, SupervisorCalls, WorkerCalls } from './channel.ts'
import { MergedMetrics } from './merged-metrics.ts'
import { LineRelay, relayLog } from './output.ts'
import { SupervisorSlots } from './stream-slots.ts'
import { Worker, WorkerPool, type WorkerProgram } from './worker-pool.ts'
import { createWorkersSwap } from './workers-swap.ts'

/** The settings of a supervisor. */
export interface SupervisorOptions {
  readonly loaded: ValidConfig
  readonly source: ConfigSource
  readonly program: WorkerProgram
  readonly log: Log
  /** The log settings of the workers. */
  readonly logging: Boot['log']
  readonly stdout: Writable
  /** Whether `stdout` is a file that workers may write themselves: their lines do not mix there. */
  readonly sharesStdout?: boolean | undefined
  /** Writes whole lines of the workers' logs. */
  readonly writeLog: (lines: string) => void
  readonly consoleFolder: string | undefined
}

/** The time of a drain beyond its configured times: last frames, lingering connections, audit records. */
const DRAIN_SURPLUS_MS = 10_000
/** The longest time that a stuck worker delays an answer for all workers, or the end of accepting. */
const ANSWER_MS = 1000

/**
 * Runs a gateway as several workers. The supervisor accepts connections and hands them over, holds the state that the
 * workers share, and replaces workers that end. It reads no request.
 */
export class Supervisor implements Pick<Gateway, 'start' | 'adminPort' | 'reload' | 'drain'> {
  readonly #options: SupervisorOptions
  readonly #pool: WorkerPool
  readonly #reloading: Reloading
  /** Reloads all workers; never while a worker starts. */
  readonly reload: () => Promise<ReloadResult>
  readonly #acceptor: Acceptor
  readonly #relay: LineRelay
  readonly #spread = new ConnectionSpread(() => this.#config.limits.max_connections)
  readonly #slots = new SupervisorSlots<Worker>(() => this.#config.llm.max_sse_connections_per_tenant)
  readonly #limits: LimitStore
  readonly #keys = new MemoryKeys(keyTimes)
  readonly #sessions: MemorySessions
  readonly #metrics = new MergedMetrics<Worker>({
    budgets: () => this.#limits.budgetUse(),
    sessions: () => this.#sessions.count(),
  })
  readonly #auditFiles: AuditFiles
  readonly #sessionSecret = createSessionSecret()
  readonly #port = Promise.withResolvers<number>()
  #loaded: ValidConfig
  #readyCount = 0
  adminPort: number | undefined

  constructor(options: SupervisorOptions) {
    const { loaded, source, log, stdout } = options
    const { host, port, workers: count } = loaded.config.gateway
    this.#options = options
    this.#loaded = loaded
    this.#relay = new LineRelay(stdout)
    this.#auditFiles = createAuditFiles({ log })
    this.#sessions = new MemorySessions({ onDropped: createDropReport(log) })
    const { shared } = loaded.config.gateway
    this.#limits = createLimitStore({ shared, log, metrics: this.#metrics })
    this.#acceptor = createAcceptor({ host, port, log }, (socket) => this.#spread.add(socket))
    const start = (index: number) => this.#startWorker(index)
    const onReplaced = () => this.#metrics.restarted()
    this.#pool = new WorkerPool({ count, log, start, onReplaced })
    const swap = createWorkersSwap({ pool: this.#pool, use: (next) => this.#use(next) })
    const reloading = createReloading({
      source,
      current: () => this.#loaded,
      swap,
      metrics: this.#metrics,
      log,
    })
    this.#reloading = reloading
    this.reload = inTurn(() => this.#pool.exclusively(reloading.run))
  }

  /** Resolves with the port when all workers take requests. */
  async start(): Promise<number> {
    this.#use(await pinModules(this.#loaded))
    try {
      this.#auditFiles.claim(this.#loaded.config)
      if (this.#config.rate_limits.length > 0) await this.#limits.warm?.()
      const [port] = await Promise.all([this.#port.promise, this.#pool.start()])
      return port
    } catch (error) {
      this.#acceptor.close()
      this.kill()
      throw error
    }
  }

  async drain(): Promise<void> {
    const { drain_seconds, drain_delay_seconds } = this.#config
    const { workers } = this.#pool
    // Otherwise the first worker that has waited for its delay stops the acceptor.
    if (workers.size === 0) this.#acceptor.close()
    for (const { channel } of workers) channel.tell('drain')
    await this.#pool.end((drain_seconds + drain_delay_seconds) * 1000 + DRAIN_SURPLUS_MS)
    await Promise.all([this.#relay.settled(), this.#limits.close(), this.#auditFiles.close()])
  }

  /** Ends all workers at once, before this process ends. */
  kill(): void {
    this.#pool.kill()
  }

  get #config() {
    return this.#loaded.config.gateway
  }

  #use(loaded: ValidConfig): void {
    this.#loaded = loaded
    // Here and not in each worker, so that every warning is logged once.
    for (const { id, text } of toldWarnings(loaded)) this.#options.log.warn(text, { warning: id })
  }

  #startWorker(index: number): Worker {
    const { program, writeLog, sharesStdout } = this.#options
    const start = { ...program, stdout: sharesStdout ? 'inherit' : 'pipe' } as const
    const worker = new Worker(index, start, (self) => this.#callsOf(self))
    const { stdout, stderr } = worker.child
    if (stdout !== null) this.#relay.add(stdout)
    if (stderr !== null) relayLog(stderr, writeLog)
    void worker.ended.then(() => {
      for (const part of [this.#spread, this.#slots, this.#metrics]) part.leave(worker)
    })
    return worker
  }

  #callsOf(worker: Worker): Omit<SupervisorCalls, 'failed'> {
    const others = () => [...this.#pool.workers].filter((other) => other !== worker)
    return {
      boot: () => this.#boot(worker),
      ready: ({ adminPort }) => this.#ready(worker, adminPort),
      connections: (report) => this.#spread.report(worker, report),
      stopAccepting: () => this.#stopAccepting(),
      takeSlot: (tenantId) => this.#slots.take(worker, tenantId),
      releaseSlot: (tenantId) => this.#slots.release(worker, tenantId),
      decideLimits: (demands) => this.#limits.decide(demands),
      settleLimits: (settlements) => this.#limits.settle(settlements),
      peekLimits: (demands) => this.#limits.peek(demands),
      claimKey: (claiming) => this.#keys.claim(claiming),
      renewKeys: (keys) => this.#keys.renew(keys),
      settleKey: ({ held, end }) => this.#keys.settle(held, end),
      relayMcp: (message) => {
        for (const other of others()) other.channel.tell('receiveMcp', message)
      },
      findSession: (id) => this.#sessions.find(id),
      addSession: ({ id, session }) => this.#sessions.add(id, session),
      replaceSession: ({ id, session }) => this.#sessions.replace(id, session),
      endSession: (id) => this.#sessions.end(id),
      endSessions: (ended) => this.#sessions.endAll(ended),
      claimName: ({ name, ms }) => this.#sessions.claim(name, ms),
      counts: (values) => this.#metrics.counted(worker, values),
      audit: ({ settings, batch }) =>
        this.#auditFiles.append(settings, batch).then(() => undefined, messageOf),
      metrics: () => this.#expose(),
      degraded: () => this.#degraded(),
      reload: this.reload,
      feed: async () => [...(await askAll(others(), 'feed')).values()],
      records: async (id) => [...(await askAll(others(), 'records', id)).values()].flat(),
      usage: async (tenant) => [...(await askAll(others(), 'usage', tenant)).values()].flat(),
      exchanges: async (wanted) => [...(await askAll(others(), 'exchanges', wanted)).values()].flat(),
      requests: async (before) => [...(await askAll(others(), 'requests', before)).values()].flat(),
      recent: async (page) => [...(await askAll(others(), 'recent', page)).values()].flat(),
    }
  }

  #boot({ index }: Worker): Boot {
    const { source, consoleFolder, logging: log, sharesStdout = false } = this.#options
    const { workers: count, admin } = this.#config
    const { text, modules } = this.#loaded
    const shared = { sharesStdout, hasAdmin: admin !== undefined }
    const sessionSecret = this.#sessionSecret
    return { index, count, file: source.file, text, modules, consoleFolder, log, ...shared, sessionSecret }
  }

  /** Clients can connect when the last worker is ready, so that every connection is answered. */
  #ready(worker: Worker, adminPort: number | undefined): Promise<number> {
    this.adminPort = adminPort ?? this.adminPort
    this.#spread.join(worker)
    this.#readyCount += 1
    if (this.#readyCount === this.#config.workers) this.#port.resolve(this.#acceptor.open())
    return this.#port.promise
  }

  async #stopAccepting(): Promise<void> {
    await emptyAcceptQueue(() => this.#acceptor.accepted)
    this.#acceptor.close()
    await settledWithin(ANSWER_MS, this.#spread.settled())
  }

  async #expose(): Promise<Exposition> {
    const now = await askAll(this.#pool.workers, 'metrics')
    for (const [worker, values] of now) this.#metrics.counted(worker, values)
    return this.#metrics.expose(now)
  }

  async #degraded(): Promise<readonly string[]> {
    const answers = await askAll(this.#pool.workers, 'degraded')
    const reasons = new Set([...answers.values()].flat())
    if (this.#reloading.last?.result === 'refused') reasons.add('configuration: the last reload was refused')
    const { workers, rate_limits } = this.#config
    if (rate_limits.length > 0 && this.#limits.scope() === 'local') reasons.add(LIMITS_ALONE)
    for (const reason of this.#auditFiles.degraded()) reasons.add(reason)
    if (answers.size < workers) reasons.add(`workers: ${answers.size} of ${workers} answer`)
    return [...reasons]
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

type Question = 'metrics' | 'degraded' | 'feed' | 'records' | 'recent' | 'requests' | 'usage' | 'exchanges'
type Answers<Name extends Question> = Map<Worker, ReturnType<WorkerCalls[Name]>>

/** Asks workers the same question; resolves with the answers that came in time. */
async function askAll<Name extends Question>(
  workers: Iterable<Worker>,
  name: Name,
  value?: unknown,
): Promise<Answers<Name>> {
  const answers: Answers<Name> = new Map()
  const asked = [...workers].map(async (worker) => {
    // The compiler cannot tell that only some questions have a value.
    const answer = await worker.channel.ask(name, value as never)
    answers.set(worker, answer as ReturnType<WorkerCalls[Name]>)
  })
  await settledWithin(ANSWER_MS, Promise.allSettled(asked))
  return answers
}
