import { setTimeout as wait } from 'node:timers/promises'
import { type Store, StoreUnavailableError } from '@agentic-rest/service'
import { acceptJobs } from '../../packages/service/test/runtime/harness/accept-jobs.ts'
import { type RunningProgram, startProgram } from '../../packages/service/test/runtime/harness/run-program.ts'
import { type ChaosContext, type ChaosRun, type Figure, scaled } from '../chaos-run.ts'
import { createSeeded, type Seeded } from '../seeded.ts'
import { countEffects, type EffectsDatabase, openEffectsDatabase } from '../service/effects-database.ts'
import { until } from '../until.ts'

/** Background operations while workers are killed and paused and PostgreSQL is restarted. */
export const run: ChaosRun = {
  name: 'operations',
  title: 'operations with workers killed and paused and PostgreSQL restarted: none lost, none doubled',
  // With `careless` 1 the workers have their effects outside of the transaction and the run must fail.
  short: { operations: 180, kills: 4, restarts: 1, pauses: 1, workers: 2, lease: 400, careless: 0 },
  full: { operations: 10_000, kills: 200, restarts: 20, pauses: 50, workers: 3, lease: 2000, careless: 0 },
  run: disturbOperations,
}

type Disturbance = 'kills' | 'restarts' | 'pauses'

interface WorkerPool {
  readonly context: ChaosContext
  readonly database: EffectsDatabase
  readonly seeded: Seeded
  /** All workers, and those that have started. */
  readonly all: Set<RunningProgram>
  readonly started: RunningProgram[]
  readonly paused: Set<Promise<void>>
  /** Workers that ended without a kill. */
  endedAlone: number
  readonly done: Record<Disturbance, number>
}

const END_MS = 300_000
const BEGIN_MS = 3000

async function disturbOperations(context: ChaosContext): Promise<readonly Figure[]> {
  const database = await openEffectsDatabase(scaled(context, 'lease'))
  const pool: WorkerPool = {
    context,
    database,
    seeded: createSeeded(context.seed),
    all: new Set(),
    started: [],
    paused: new Set(),
    endedAlone: 0,
    done: { kills: 0, restarts: 0, pauses: 0 },
  }
  try {
    fillPool(pool)
    await disturbAll(pool)
    await Promise.all(pool.paused)
    const left = await until(
      () => unfinished(database.store),
      (count) => count === 0,
      END_MS,
    )
    return [
      ...(await figuresOf(pool)),
      { name: 'operations not ended', measured: left, limit: 0, kind: 'exactly' },
    ]
  } finally {
    await Promise.all([...pool.all].map((worker) => killWorker(pool, worker)))
    await database.close()
  }
}

/** Work arrives in shares, each just before a disturbance, so that workers are busy then. */
async function disturbAll(pool: WorkerPool): Promise<void> {
  const { context, database, seeded } = pool
  const disturbances = seeded.shuffle(plannedDisturbances(context))
  const operations = scaled(context, 'operations')
  let accepted = 0
  for (const [index, disturbance] of disturbances.entries()) {
    if (context.signal.aborted) return
    await until(
      () => pool.started.length,
      (count) => count > 0,
      END_MS,
    )
    const due = Math.ceil((operations * (index + 1)) / disturbances.length)
    await acceptShare(database.store, due - accepted, accepted)
    accepted = due
    await workHasBegun(database.store)
    await wait(seeded.between(0, 10))
    if (await disturb[disturbance](pool)) pool.done[disturbance] += 1
    if (index % 20 === 19) context.tell(`operations: ${accepted} accepted, ${JSON.stringify(pool.done)}`)
  }
}

/**
 * A share is one transaction. After a restart it may get a dead connection and is repeated: nothing was accepted,
 * because the server is not disturbed meanwhile.
 */
async function acceptShare(store: Store, count: number, first: number): Promise<void> {
  try {
    await acceptJobs(store, count, first)
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error
    await acceptShare(store, count, first)
  }
}

/** After the first effect of a share, all workers are busy with other jobs of it. */
async function workHasBegun(store: Store): Promise<void> {
  const effects = async () => (await countEffects(store)).all
  const before = await effects()
  await until(effects, (count) => count > before, BEGIN_MS)
}

function plannedDisturbances(context: ChaosContext): Disturbance[] {
  const kinds: readonly Disturbance[] = ['kills', 'restarts', 'pauses']
  return kinds.flatMap((kind) => Array.from({ length: scaled(context, kind) }, () => kind))
}

/** Each returns whether there was a worker to disturb. */
const disturb: Readonly<Record<Disturbance, (pool: WorkerPool) => Promise<boolean>>> = {
  async kills(pool) {
    const victim = pick(pool)
    if (victim === undefined) return false
    await killWorker(pool, victim)
    fillPool(pool)
    return true
  },
  async restarts({ database: { server }, seeded }) {
    await (seeded.chance(0.5) ? server.stop() : server.crash())
    await server.start()
    return true
  },
  async pauses(pool) {
    const victim = pick(pool)
    if (victim === undefined) return false
    victim.process.kill('SIGSTOP')
    startWorker(pool)
    const waking = wakeLate(pool, victim).finally(() => pool.paused.delete(waking))
    pool.paused.add(waking)
    return true
  },
}

/** Other workers take over the work of a paused worker; after waking it continues its own run. */
async function wakeLate(pool: WorkerPool, worker: RunningProgram): Promise<void> {
  await wait(scaled(pool.context, 'lease') * 1.5)
  worker.process.kill('SIGCONT')
  pool.started.push(worker)
}

/** Takes a started worker out of the list. */
function pick({ started, seeded }: WorkerPool): RunningProgram | undefined {
  return started.splice(seeded.below(started.length), 1)[0]
}

function fillPool(pool: WorkerPool): void {
  while (pool.all.size < scaled(pool.context, 'workers')) startWorker(pool)
}

function startWorker(pool: WorkerPool): void {
  const { context, database } = pool
  const worker = startProgram('counting-worker', {
    url: database.url,
    leaseSeconds: scaled(context, 'lease') / 1000,
    isCareless: scaled(context, 'careless') > 0,
  })
  pool.all.add(worker)
  worker.told('started').then(() => pool.started.push(worker), ignoreEnd)
  void worker.ended.then(({ signal, stderr }) => {
    if (signal === 'SIGKILL') return
    pool.endedAlone += 1
    pool.all.delete(worker)
    context.tell(`operations: a worker ended by itself: ${stderr.slice(0, 500)}`)
  })
}

// A worker that ends before it starts is counted at its end.
function ignoreEnd(): void {}

async function killWorker({ all }: WorkerPool, worker: RunningProgram): Promise<void> {
  all.delete(worker)
  worker.process.kill('SIGKILL')
  await worker.ended
}

/** Counts operations without a final state; the server may be unavailable at the moment. */
async function unfinished(store: Store): Promise<number> {
  const query = "SELECT count(*)::int AS count FROM agentic_operations WHERE state <> 'completed'"
  const rows = await store.query<{ count: number }>(query).catch(() => [])
  return rows[0]?.count ?? Number.NaN
}

async function figuresOf({ context, database, done, endedAlone }: WorkerPool): Promise<Figure[]> {
  const operations = scaled(context, 'operations')
  const { all, different } = await countEffects(database.store)
  const [kept] = await database.store.query<{ all: number; again: number }>(
    'SELECT count(*)::int AS all, count(*) FILTER (WHERE attempts > 1)::int AS again FROM agentic_operations',
  )
  const none = { limit: 0, kind: 'exactly' } as const
  return [
    { name: 'operations', measured: kept?.all ?? 0, limit: operations, kind: 'exactly' },
    { name: 'workers killed', measured: done.kills, limit: scaled(context, 'kills'), kind: 'exactly' },
    {
      name: 'PostgreSQL restarted',
      measured: done.restarts,
      limit: scaled(context, 'restarts'),
      kind: 'exactly',
    },
    {
      name: 'workers paused past their lease',
      measured: done.pauses,
      limit: scaled(context, 'pauses'),
      kind: 'exactly',
    },
    // Killing or pausing an idle worker proves nothing.
    { name: 'operations begun again', measured: kept?.again ?? 0, limit: done.kills / 4, kind: 'at least' },
    { name: 'lost', measured: operations - different, ...none },
    { name: 'doubled', measured: all - different, ...none },
    { name: 'workers that ended by themselves', measured: endedAlone, ...none },
  ]
}
