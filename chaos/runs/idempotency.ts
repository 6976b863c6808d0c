import { setTimeout as wait } from 'node:timers/promises'
import { headers, outcomes } from '@agentic-rest/profile'
import { type RunningProgram, startProgram } from '../../packages/service/test/runtime/harness/run-program.ts'
import { type Caller, createCaller, type Ending, requestText } from '../caller.ts'
import { type ChaosContext, type ChaosRun, type Figure, scaled } from '../chaos-run.ts'
import { copiesInOrder } from '../idempotency/copies-in-order.ts'
import { countEffects, type EffectsDatabase, openEffectsDatabase } from '../service/effects-database.ts'
import { doAll } from '../workers.ts'

/** Repeated requests with one key to services that are killed. */
export const run: ChaosRun = {
  name: 'idempotency',
  title: 'repeated keys to services that are killed: one effect and one answer per key',
  // With `keyed` 0 the requests have no key and the run must fail, which proves the check. A service that does not run for as
  // long as a lease loses its keys, and fails its requests.
  short: { keys: 20, copies: 20, services: 2, callers: 24, killEvery: 700, lease: 3000, keyed: 1 },
  full: { keys: 10_000, copies: 20, services: 4, callers: 160, killEvery: 3000, lease: 2000, keyed: 1 },
  run: sendCopies,
}

interface World {
  readonly context: ChaosContext
  readonly database: EffectsDatabase
  /** The running services by port. */
  readonly services: Map<number, RunningProgram>
  readonly answers: Answers
  /** The requests without an answer by port. */
  readonly open: Map<number, number>
  killed: number
  /** The time of sending, and the part of it spent on replacing killed services. */
  sendingMs: number
  replacingMs: number
}

/** The answers to the callers. */
interface Answers {
  /** The payment of each key. */
  readonly payments: Map<number, string>
  sent: number
  answered: number
  lost: number
  different: number
  /** Answers without success, by status and code. */
  readonly refused: Map<string, number>
}

const PATIENCE_MS = 30_000
/** No process is paused here: only sessions of killed processes time out. */
const IDLE_MS = 60_000

async function sendCopies(context: ChaosContext): Promise<readonly Figure[]> {
  const database = await openEffectsDatabase(IDLE_MS)
  const answers: Answers = {
    payments: new Map(),
    sent: 0,
    answered: 0,
    lost: 0,
    different: 0,
    refused: new Map(),
  }
  const world: World = {
    context,
    database,
    services: new Map(),
    answers,
    open: new Map(),
    killed: 0,
    sendingMs: 0,
    replacingMs: 0,
  }
  const over = new AbortController()
  try {
    await Promise.all(Array.from({ length: scaled(context, 'services') }, () => startPayingService(world)))
    const killing = killInTurn(world, over.signal)
    const startedAt = performance.now()
    await sendAll(world)
    world.sendingMs = performance.now() - startedAt
    over.abort()
    await killing
    return await figuresOf(world)
  } finally {
    over.abort()
    await Promise.all([...world.services.values()].map(kill))
    await database.close()
  }
}

async function startPayingService({ context, database, services }: World): Promise<void> {
  const program = startProgram('paying-service', {
    url: database.url,
    leaseSeconds: scaled(context, 'lease') / 1000,
  })
  const [, port] = (await program.told('listens ')).split(' ')
  services.set(Number(port), program)
}

async function kill(program: RunningProgram): Promise<void> {
  program.process.kill('SIGKILL')
  await program.ended
}

/** Kills the oldest service at intervals, in the middle of a request, and starts another one. */
async function killInTurn(world: World, over: AbortSignal): Promise<void> {
  const pause = scaled(world.context, 'killEvery')
  for (;;) {
    await wait(pause, undefined, { signal: over }).catch(() => undefined)
    const [oldest] = world.services
    if (oldest === undefined) return
    while (!over.aborted && !world.open.get(oldest[0])) await wait(1)
    if (over.aborted) return
    const startedAt = performance.now()
    world.services.delete(oldest[0])
    await kill(oldest[1])
    world.killed += 1
    await startPayingService(world)
    world.replacingMs += performance.now() - startedAt
  }
}

async function sendAll(world: World): Promise<void> {
  const { context, answers } = world
  const keys = scaled(context, 'keys')
  const copies = scaled(context, 'copies')
  const order = copiesInOrder(context)
  const callers = new Map<string, Caller>()
  const work = {
    count: keys * copies,
    workers: scaled(context, 'callers'),
    signal: context.signal,
    progress: (done: number) =>
      context.tell(
        `idempotency: ${done} of ${keys * copies} answered, ${JSON.stringify([...answers.refused])}, ${answers.lost} lost their connection, ${world.killed} services killed`,
      ),
  }
  await doAll(work, (index, worker) => sendUntilAnswered(world, callers, { key: order[index] ?? 0, worker }))
  for (const caller of callers.values()) caller.close()
}

interface Copy {
  readonly key: number
  readonly worker: number
}

/** A caller without an answer repeats its request, which a key makes safe. */
async function sendUntilAnswered(world: World, callers: Map<string, Caller>, copy: Copy): Promise<void> {
  const request = requestOf(world, copy.key)
  while (!world.context.signal.aborted) {
    const ports = [...world.services.keys()]
    const port = ports[(copy.key + copy.worker + world.answers.sent) % Math.max(ports.length, 1)]
    if (port !== undefined) {
      world.answers.sent += 1
      count(world.open, port, 1)
      const ending = await callerOf(callers, copy.worker, port).ask(request)
      count(world.open, port, -1)
      if (note(world.answers, copy.key, ending)) return
    }
    await wait(30)
  }
}

function count(open: Map<number, number>, port: number, change: number): void {
  open.set(port, (open.get(port) ?? 0) + change)
}

function requestOf({ context }: World, key: number): string {
  const keyed = scaled(context, 'keyed') > 0 ? { [headers.idempotencyKey]: `key-${key}` } : {}
  return requestText({ method: 'POST', path: `/payments/p-${key}`, headers: keyed, body: '{}' })
}

function callerOf(callers: Map<string, Caller>, worker: number, port: number): Caller {
  const name = `${worker}:${port}`
  const caller = callers.get(name) ?? createCaller({ port, patienceMs: PATIENCE_MS })
  callers.set(name, caller)
  return caller
}

/** Answers that guarantee no effect: the key is in progress, or the database is unavailable. */
const comeAgain: readonly string[] = [
  `${outcomes.conflict.status} IDEMPOTENCY_IN_PROGRESS`,
  `${outcomes.failed_dependency.status} STORE_UNAVAILABLE`,
]

/** Notes the end of a request; true for a final answer. */
function note(answers: Answers, key: number, ending: Ending): boolean {
  if (ending.type !== 'answer') {
    answers.lost += 1
    return false
  }
  const { status, body } = ending.answer
  if (status !== outcomes.created.status) {
    const { code = '' } = JSON.parse(body) as { code?: string }
    const seen = `${status} ${code}`
    answers.refused.set(seen, (answers.refused.get(seen) ?? 0) + 1)
    return !comeAgain.includes(seen)
  }
  const { paymentId } = JSON.parse(body) as { paymentId: string }
  const first = answers.payments.get(key) ?? paymentId
  answers.payments.set(key, first)
  if (first !== paymentId) answers.different += 1
  answers.answered += 1
  return true
}

async function figuresOf(world: World): Promise<Figure[]> {
  const { context, database, answers, killed, sendingMs, replacingMs } = world
  const keys = scaled(context, 'keys')
  const requests = keys * scaled(context, 'copies')
  const { all, different } = await countEffects(database.store)
  const other = [...answers.refused.keys()].filter((seen) => !comeAgain.includes(seen))
  for (const [seen, count] of answers.refused) context.tell(`idempotency: ${count} times ${seen}`)
  const none = { limit: 0, kind: 'exactly' } as const
  return [
    { name: 'requests answered', measured: answers.answered, limit: requests, kind: 'exactly' },
    // With less than half of the possible kills the run proves little.
    {
      name: 'services killed',
      measured: killed,
      limit: Math.max(1, Math.floor((sendingMs - replacingMs) / scaled(context, 'killEvery') / 2)),
      kind: 'at least',
    },
    { name: 'connections lost', measured: answers.lost, limit: 1, kind: 'at least' },
    { name: 'effects', measured: all, limit: keys, kind: 'exactly' },
    { name: 'keys without an effect', measured: keys - different, ...none },
    { name: 'keys with two answers', measured: answers.different, ...none },
    { name: 'other answers', measured: other.length, ...none },
  ]
}
