import { setTimeout as wait } from 'node:timers/promises'
import { type Store, StoreUnavailableError } from '@agentic-rest/service'
import { acceptJobs } from '../../packages/service/test/runtime/harness/accept-jobs.ts'
import { type RunningProgram, startProgram } from '../../packages/service/test/runtime/harness/run-program.ts'
import { type ChaosContext, type ChaosRun, type Figure, scaled } from '../chaos-run.ts'
import { createSeeded, type Seeded } from '../seeded.ts'
import { countEffects, type EffectsDatabase, openEffectsDatabase } from '../service/effects-database.ts'
import { until } from '../until.ts'

/** Operations in the background, while everything that works on them is killed, stopped and restarted. */
export const run: ChaosRun = {
  name: 'operations',
  title: 'operations with workers killed and paused and PostgreSQL restarted: none lost, none doubled',
  // With `careless` 1 the workers have their effects outside of the transaction, and the run has to fail.
  short: { operations: 180, kills: 4, restarts: 1, pauses: 1, workers: 2, lease: 400, careless: 0 },
  full: { operations: 10_000, kills: 200, restarts: 20, pauses: 50, workers: 3, lease: 2000, careless: 0 },
  run: disturbOperations,
}

type Disturbance = 'kills' | 'restarts' | 'pauses'

interface Crew {
  readonly context: ChaosContext
  readonly database: EffectsDatabase
  readonly seeded: Seeded
  /** All that are meant to work, and those of them that have begun to. */
  readonly hired: Set<RunningProgram>
  readonly working: RunningProgram[]
  readonly paused: Set<Promise<void>>
  /** Workers that ended without being killed. */
  deserted: number
  readonly done: Record<Disturbance, number>
}

const END_MS = 300_000
const BEGIN_MS = 3000

async function disturbOperations(context: ChaosContext): Promise<readonly Figure[]> {
  const database = await openEffectsDatabase(scaled(context, 'lease'))
  const crew: Crew = {
    context,
    database,
    seeded: createSeeded(context.seed),
    hired: new Set(),
    working: [],
    paused: new Set(),
    deserted: 0,
    done: { kills: 0, restarts: 0, pauses: 0 },
  }
  try {
    hireAll(crew)
    await disturbAll(crew)
    await Promise.all(crew.paused)
    const left = await until(
      () => unfinished(database.store),
      (count) => count === 0,
      END_MS,
    )
    return [
      ...(await figuresOf(crew)),
      { name: 'operations not ended', measured: left, limit: 0, kind: 'exactly' },
    ]
  } finally {
    await Promise.all([...crew.hired].map((worker) => dismiss(crew, worker)))
    await database.close()
  }
}

/** Work comes in shares, each right before a disturbance, so that each meets workers that are busy. */
async function disturbAll(crew: Crew): Promise<void> {
  const { context, database, seeded } = crew
  const disturbances = seeded.shuffle(plannedDisturbances(context))
  const operations = scaled(context, 'operations')
  let accepted = 0
  for (const [index, disturbance] of disturbances.entries()) {
    if (context.signal.aborted) return
    await until(
      () => crew.working.length,
      (count) => count > 0,
      END_MS,
    )
    const due = Math.ceil((operations * (index + 1)) / disturbances.length)
    await acceptShare(database.store, due - accepted, accepted)
    accepted = due
    await workHasBegun(database.store)
    await wait(seeded.between(0, 10))
    if (await disturb[disturbance](crew)) crew.done[disturbance] += 1
    if (index % 20 === 19) context.tell(`operations: ${accepted} accepted, ${JSON.stringify(crew.done)}`)
  }
}

/**
 * A share is one transaction. After a restart the first one may meet a connection that is dead, and is repeated: nothing
 * of it was accepted, because the server is not disturbed meanwhile.
 */
async function acceptShare(store: Store, count: number, first: number): Promise<void> {
  try {
    await acceptJobs(store, count, first)
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error
    await acceptShare(store, count, first)
  }
}

/** When one job of a share has had its effect, as many others as the workers can hold are in their middle. */
async function workHasBegun(store: Store): Promise<void> {
  const effects = async () => (await countEffects(store)).all
  const before = await effects()
  await until(effects, (count) => count > before, BEGIN_MS)
}

function plannedDisturbances(context: ChaosContext): Disturbance[] {
  const kinds: readonly Disturbance[] = ['kills', 'restarts', 'pauses']
  return kinds.flatMap((kind) => Array.from({ length: scaled(context, kind) }, () => kind))
}

/** Each says whether there was somebody to disturb. */
const disturb: Readonly<Record<Disturbance, (crew: Crew) => Promise<boolean>>> = {
  async kills(crew) {
    const victim = pick(crew)
    if (victim === undefined) return false
    await dismiss(crew, victim)
    hireAll(crew)
    return true
  },
  async restarts({ database: { server }, seeded }) {
    await (seeded.chance(0.5) ? server.stop() : server.crash())
    await server.start()
    return true
  },
  async pauses(crew) {
    const victim = pick(crew)
    if (victim === undefined) return false
    victim.process.kill('SIGSTOP')
    hire(crew)
    const waking = wakeLate(crew, victim).finally(() => crew.paused.delete(waking))
    crew.paused.add(waking)
    return true
  },
}

/** Others have the work of a paused worker by the time it wakes; it goes on where it was. */
async function wakeLate(crew: Crew, worker: RunningProgram): Promise<void> {
  await wait(scaled(crew.context, 'lease') * 1.5)
  worker.process.kill('SIGCONT')
  crew.working.push(worker)
}

/** Takes one of those that work out of the crew. */
function pick({ working, seeded }: Crew): RunningProgram | undefined {
  return working.splice(seeded.below(working.length), 1)[0]
}

function hireAll(crew: Crew): void {
  while (crew.hired.size < scaled(crew.context, 'workers')) hire(crew)
}

function hire(crew: Crew): void {
  const { context, database } = crew
  const worker = startProgram('counting-worker', {
    url: database.url,
    leaseSeconds: scaled(context, 'lease') / 1000,
    isCareless: scaled(context, 'careless') > 0,
  })
  crew.hired.add(worker)
  worker.told('started').then(() => crew.working.push(worker), ignoreEnd)
  void worker.ended.then(({ signal, stderr }) => {
    if (signal === 'SIGKILL') return
    crew.deserted += 1
    crew.hired.delete(worker)
    context.tell(`operations: a worker ended by itself: ${stderr.slice(0, 500)}`)
  })
}

// One that ends before it starts is counted by its end.
function ignoreEnd(): void {}

async function dismiss({ hired }: Crew, worker: RunningProgram): Promise<void> {
  hired.delete(worker)
  worker.process.kill('SIGKILL')
  await worker.ended
}

/** Counts what is not in a final state; the server may be away at the moment. */
async function unfinished(store: Store): Promise<number> {
  const query = "SELECT count(*)::int AS count FROM agentic_operations WHERE state <> 'completed'"
  const rows = await store.query<{ count: number }>(query).catch(() => [])
  return rows[0]?.count ?? Number.NaN
}

async function figuresOf({ context, database, done, deserted }: Crew): Promise<Figure[]> {
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
    // What is killed or paused has to be in the middle of something, or the run shows nothing.
    { name: 'operations begun again', measured: kept?.again ?? 0, limit: done.kills / 4, kind: 'at least' },
    { name: 'lost', measured: operations - different, ...none },
    { name: 'doubled', measured: all - different, ...none },
    { name: 'workers that ended by themselves', measured: deserted, ...none },
  ]
}
