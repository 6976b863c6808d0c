import { setTimeout as wait } from 'node:timers/promises'
import { conditions, headers, outcomes } from '@agentic-rest/profile'
import { programPath } from '@agentic-rest/testing/programs'
import { type RedisServer, startRedisServer } from '@agentic-rest/testing/start-redis-server'
import { linkTimes } from '../../packages/gateway/src/redis/redis-link.ts'
import {
  type SharedProcess,
  startSharedProcess,
} from '../../packages/gateway/test/shared-limits/start-shared-process.ts'
import { type Caller, createCaller, type Ending, requestText } from '../caller.ts'
import { type ChaosContext, type ChaosRun, type Figure, scaled } from '../chaos-run.ts'
import { type BookingUpstream, startBookingUpstream, VIA } from '../idempotency/booking-upstream.ts'
import { copiesInOrder, keysOf } from '../idempotency/copies-in-order.ts'
import { createSeeded } from '../seeded.ts'
import { doAll } from '../workers.ts'

/** Repeated keys through three gateways with one Redis, in front of a service that knows nothing of keys. */
export const run: ChaosRun = {
  name: 'gateway-idempotency',
  title:
    'repeated keys through three gateways on one Redis, both killed: one call per key, or told as unknown',
  // A key of a killed gateway runs until the end of its `lease`. `workMs` is the longest time of a call. With `persistent` 0
  // Redis forgets its keys when it is killed, and the run must fail.
  short: {
    keys: 40,
    copies: 20,
    kills: 1,
    restarts: 2,
    gateways: 3,
    callers: 24,
    workMs: 40,
    lease: 2000,
    answerMs: 5000,
    persistent: 1,
  },
  full: {
    keys: 10_000,
    copies: 20,
    kills: 60,
    restarts: 20,
    gateways: 3,
    callers: 120,
    workMs: 40,
    lease: 3000,
    answerMs: linkTimes.answerWithinMs,
    persistent: 1,
  },
  run: sendCopies,
}

const PATIENCE_MS = 30_000
/** A gateway without a call for this long is killed without one. */
const CATCH_MS = 5000
const LEAST_WORK_MS = 5
const PAUSE_MS = 30

interface World {
  readonly context: ChaosContext
  readonly upstream: BookingUpstream
  readonly redis: RedisServer
  /** The running gateways, the oldest first. */
  readonly gateways: SharedProcess[]
  readonly told: Told
  readonly callers: Map<string, Caller>
  killed: number
  /** Gateways that were killed with a call between request and answer. */
  caught: number
  restarts: number
}

/** The answers that clients got. */
interface Told {
  /** The bookings that were told for each key: more than one is a fault. */
  readonly bookings: Map<number, Set<string>>
  /** The keys whose outcome was told as unknown. */
  readonly unknown: Set<number>
  sent: number
  final: number
  lost: number
  replayed: number
  /** Answers without success, by status and code. */
  readonly refused: Map<string, number>
}

async function sendCopies(context: ChaosContext): Promise<readonly Figure[]> {
  const program = programPath('redis-server')
  const seeded = createSeeded(context.seed, 1)
  const upstream = await startBookingUpstream(() => seeded.between(LEAST_WORK_MS, scaled(context, 'workMs')))
  // The settings that docs/idempotency.md asks for.
  const settings = ['--appendonly', 'yes', '--appendfsync', 'always', '--maxmemory-policy', 'noeviction']
  const redis = await startRedisServer({
    program,
    folder: context.folder,
    settings: scaled(context, 'persistent') > 0 ? settings : [],
  })
  const world: World = {
    context,
    upstream,
    redis,
    gateways: [],
    told: {
      bookings: new Map(),
      unknown: new Set(),
      sent: 0,
      final: 0,
      lost: 0,
      replayed: 0,
      refused: new Map(),
    },
    callers: new Map(),
    killed: 0,
    caught: 0,
    restarts: 0,
  }
  try {
    const starting = Array.from({ length: scaled(context, 'gateways') }, () => startBookingGateway(world))
    world.gateways.push(...(await Promise.all(starting)))
    const order = copiesInOrder(context)
    await sendAll(world, order, createFaults(world, order.length))
    // Once more, after all that was lost: what is stored is still there.
    await sendAll(world, keysOf(context))
    return figuresOf(world, order.length + scaled(context, 'keys'))
  } finally {
    for (const caller of world.callers.values()) caller.close()
    await Promise.all(world.gateways.map((gateway) => gateway.kill()))
    await redis.stop()
    upstream.close()
  }
}

function startBookingGateway({ context, upstream, redis }: World): Promise<SharedProcess> {
  const leaseMs = scaled(context, 'lease')
  const route = {
    id: 'book',
    method: 'POST',
    path: '/bookings/{key}',
    target: upstream.url,
    executionTimeoutSeconds: 20,
    idempotency: { mode: 'required' },
  }
  return startSharedProcess(
    {
      gateway: { shared: { redis_url: redis.url }, idempotency: { store: 'shared' } },
      routes: [route],
    },
    {
      ...linkTimes,
      leaseMs,
      renewEveryMs: leaseMs / 3,
      answerWithinMs: scaled(context, 'answerMs'),
      enterWithinMs: 10_000,
      retryUpToMs: 250,
    },
  )
}

/** Things that happen while requests are sent. */
interface Faults {
  /** Called before each request with its number. */
  at(index: number): void
  settled(): Promise<unknown>
}

const NO_FAULTS: Faults = { at: () => undefined, settled: () => Promise.resolve() }

/** Kills gateways and restarts Redis at even distances, Redis first. */
function createFaults(world: World, requests: number): Faults {
  const series = [
    { times: scaled(world.context, 'kills'), act: () => killGateway(world), later: 0 },
    { times: scaled(world.context, 'restarts'), act: () => restartRedis(world), later: 0.5 },
  ].map(({ times, act, later }) => ({
    every: requests / (times + 1),
    left: times,
    later,
    act,
    last: Promise.resolve(),
  }))
  return {
    at(index) {
      for (const each of series) {
        if (each.left === 0 || index < requests - (each.left + each.later) * each.every) continue
        each.left -= 1
        each.last = each.last.then(each.act)
      }
    },
    settled: () => Promise.all(series.map(({ last }) => last)),
  }
}

/** Kills the oldest gateway between the request and the answer of a call, and starts another. */
async function killGateway(world: World): Promise<void> {
  const { gateways, upstream } = world
  const [oldest] = gateways
  if (oldest === undefined) return
  const isCaught = await Promise.race([
    upstream.calledFrom(oldest.port).then(() => true),
    wait(CATCH_MS, false, { ref: false }),
  ])
  const killing = oldest.kill()
  gateways.shift()
  await killing
  world.killed += 1
  if (isCaught) world.caught += 1
  gateways.push(await startBookingGateway(world))
}

async function restartRedis(world: World): Promise<void> {
  await world.redis.restart()
  world.restarts += 1
}

async function sendAll(world: World, order: readonly number[], faults = NO_FAULTS): Promise<void> {
  const { context, told } = world
  const work = {
    count: order.length,
    workers: scaled(context, 'callers'),
    signal: context.signal,
    progress: (done: number) =>
      context.tell(
        `gateway-idempotency: ${done} of ${order.length}, ${world.killed} gateways killed, ${world.restarts} restarts of Redis, ${told.lost} connections lost, ${told.unknown.size} keys unknown, ${JSON.stringify([...told.refused])}`,
      ),
  }
  await doAll(work, async (index, worker) => {
    faults.at(index)
    await sendUntilFinal(world, { key: order[index] ?? 0, worker })
  })
  await faults.settled()
}

interface Copy {
  readonly key: number
  readonly worker: number
}

/** A client without a final answer sends its request again, to any gateway. */
async function sendUntilFinal(world: World, copy: Copy): Promise<void> {
  const { context, gateways, told } = world
  while (!context.signal.aborted) {
    const gateway = gateways[(copy.key + copy.worker + told.sent) % Math.max(gateways.length, 1)]
    if (gateway !== undefined) {
      told.sent += 1
      const ending = await callerOf(world, copy.worker, gateway.port).ask(requestOf(copy.key, gateway.port))
      if (note(told, copy.key, ending)) return
    }
    await wait(PAUSE_MS)
  }
}

const pathOf = (key: number) => `/bookings/${key}`

function requestOf(key: number, port: number): string {
  const own = {
    [headers.tenantId]: 'acme',
    [headers.idempotencyKey]: `key-${key}`,
    [VIA]: String(port),
  }
  return requestText({ method: 'POST', path: pathOf(key), headers: own, body: '{"seats":2}' })
}

function callerOf({ callers }: World, worker: number, port: number): Caller {
  const name = `${worker}:${port}`
  const caller = callers.get(name) ?? createCaller({ port, patienceMs: PATIENCE_MS })
  callers.set(name, caller)
  return caller
}

const UNKNOWN = `${outcomes.conflict.status} IDEMPOTENCY_OUTCOME_UNKNOWN`
/** Answers that ask for a retry: the first copy runs, Redis is away, or the machine of the run is too slow for its callers. */
const comeAgain: readonly string[] = [
  `${outcomes.conflict.status} IDEMPOTENCY_IN_PROGRESS`,
  `${outcomes.failed_dependency.status} STORE_UNAVAILABLE`,
  `${conditions.unavailable} OVERLOADED`,
]

/** Notes the end of a request; true for a final answer. */
function note(told: Told, key: number, ending: Ending): boolean {
  if (ending.type !== 'answer') {
    told.lost += 1
    return false
  }
  const { status, body, headers: received } = ending.answer
  const { code = '', booking } = JSON.parse(body) as { code?: string; booking?: string }
  if (status === outcomes.created.status && booking !== undefined) {
    told.bookings.set(key, (told.bookings.get(key) ?? new Set()).add(booking))
    if (received[headers.idempotencyReplayed.toLowerCase()] === 'true') told.replayed += 1
    told.final += 1
    return true
  }
  const seen = `${status} ${code}`
  told.refused.set(seen, (told.refused.get(seen) ?? 0) + 1)
  if (comeAgain.includes(seen)) return false
  if (seen === UNKNOWN) told.unknown.add(key)
  told.final += 1
  return true
}

function figuresOf(world: World, requests: number): readonly Figure[] {
  const { context, upstream, told, killed, caught, restarts } = world
  const keys = keysOf(context)
  const calls = (key: number) => upstream.bookings.get(pathOf(key)) ?? []
  const count = (holds: (key: number) => boolean) => keys.filter(holds).length
  const bookings = (key: number) => [...(told.bookings.get(key) ?? [])]
  const isTold = (key: number) => bookings(key).length > 0
  const isCutOff = (key: number) => upstream.cutOff.has(pathOf(key))
  for (const [seen, times] of told.refused) context.tell(`gateway-idempotency: ${times} times ${seen}`)
  context.tell(
    `gateway-idempotency: ${told.replayed} replays, ${count((key) => told.unknown.has(key) && calls(key).length === 0)} unknown keys that the service never saw, ${count((key) => told.unknown.has(key) && isTold(key))} keys told both ways`,
  )
  const other = [...told.refused].filter(([seen]) => seen !== UNKNOWN && !comeAgain.includes(seen))
  const none = { limit: 0, kind: 'exactly' } as const
  return [
    { name: 'requests with a final answer', measured: told.final, limit: requests, kind: 'exactly' },
    { name: 'gateways killed', measured: killed, limit: scaled(context, 'kills'), kind: 'exactly' },
    { name: 'gateways killed during a call', measured: caught, limit: 1, kind: 'at least' },
    { name: 'restarts of Redis', measured: restarts, limit: scaled(context, 'restarts'), kind: 'exactly' },
    { name: 'keys told as unknown', measured: told.unknown.size, limit: 1, kind: 'at least' },
    { name: 'keys with two calls', measured: count((key) => calls(key).length > 1), ...none },
    { name: 'keys with two answers', measured: count((key) => bookings(key).length > 1), ...none },
    {
      name: 'answers that the service did not give',
      measured: count((key) => bookings(key).some((booking) => !calls(key).includes(booking))),
      ...none,
    },
    {
      name: 'calls without an answer that were not told as unknown',
      measured: count((key) => isCutOff(key) && (isTold(key) || !told.unknown.has(key))),
      ...none,
    },
    {
      name: 'keys without a call that were not told as unknown',
      measured: count((key) => calls(key).length === 0 && !told.unknown.has(key)),
      ...none,
    },
    { name: 'other answers', measured: other.length, ...none },
  ]
}
