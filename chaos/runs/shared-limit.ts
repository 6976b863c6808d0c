import { setTimeout as wait } from 'node:timers/promises'
import { conditions, outcomes } from '@agentic-rest/profile'
import { programPath } from '@agentic-rest/testing/programs'
import { type RedisServer, startRedisServer } from '@agentic-rest/testing/start-redis-server'
import { leaseTimes } from '../../packages/gateway/src/limits/streams/lease-store.ts'
import { leaseKey } from '../../packages/gateway/src/limits/streams/redis-lease-store.ts'
import {
  type SharedProcess,
  startSharedProcess,
} from '../../packages/gateway/test/shared-limits/start-shared-process.ts'
import { type ChaosContext, type ChaosRun, type Figure, scaled } from '../chaos-run.ts'
import { createSeeded } from '../seeded.ts'
import { seriesSum } from '../series.ts'
import {
  openAndLeave,
  type StreamUpstream,
  startStreamUpstream,
  type Visit,
  type Visited,
} from '../shared-limit/streams.ts'
import { until } from '../until.ts'
import { doAll } from '../workers.ts'

/** Streams through three gateways with one limit, while gateways are killed. */
export const run: ChaosRun = {
  name: 'shared-limit',
  title: 'streams through three gateways on one Redis, with gateways killed: never more than the limit',
  // With `shared` 0, each gateway keeps the limit for itself. With `releases` 0, Redis has no command that releases a lease.
  // `lease` and `releaseMs` are milliseconds. A gateway without a turn for as long as a lease loses it.
  short: {
    cycles: 250,
    kills: 2,
    gateways: 3,
    tenants: 2,
    limit: 5,
    lease: 3000,
    releaseMs: 20_000,
    shared: 1,
    releases: 1,
  },
  full: {
    cycles: 10_000,
    kills: 30,
    gateways: 3,
    tenants: 4,
    limit: 10,
    lease: leaseTimes.leaseMs,
    releaseMs: 1000,
    shared: 1,
    releases: 1,
  },
  run: cycle,
}

/** Enough clients that every tenant asks for more streams than its limit. */
const CLIENTS = 80
/** How long the streams of `releaseAll` are open. */
const STREAM_MS = 100
/** Extra time for a busy machine. */
const LATE_MS = 3000
/** No lease of this length expires during a run: a lease that is gone was released. */
const HOUR_MS = 3_600_000

interface World {
  readonly context: ChaosContext
  readonly upstream: StreamUpstream
  readonly redis: RedisServer
  /** A killed gateway is `undefined` until its successor listens. */
  readonly gateways: (SharedProcess | undefined)[]
}

async function cycle(context: ChaosContext): Promise<readonly Figure[]> {
  const program = programPath('redis-server')
  const upstream = await startStreamUpstream()
  const redis = await startRedisServer({
    program,
    folder: context.folder,
    settings: scaled(context, 'releases') > 0 ? [] : ['--rename-command', 'ZREM', 'FORGET'],
  })
  const world: World = { context, upstream, redis, gateways: [] }
  try {
    const released = await releaseAll(world)
    const leaseMs = scaled(context, 'lease')
    const starting = Array.from({ length: scaled(context, 'gateways') }, () =>
      startStreamGateway(world, leaseMs),
    )
    world.gateways.push(...(await Promise.all(starting)))
    const visits = await visitAll(world)
    return [...visits, ...released, ...(await finalFigures(world))]
  } finally {
    await Promise.all(world.gateways.map((gateway) => gateway?.kill()))
    await redis.stop()
    upstream.close()
  }
}

function startStreamGateway({ context, upstream, redis }: World, leaseMs: number): Promise<SharedProcess> {
  const times = { ...leaseTimes, leaseMs, renewEveryMs: leaseMs / 3 }
  const target = upstream.url
  return startSharedProcess(
    {
      gateway: {
        llm: { max_sse_connections_per_tenant: scaled(context, 'limit') },
        ...(scaled(context, 'shared') > 0 ? { shared: { redis_url: redis.url } } : {}),
      },
      routes: [
        {
          id: 'llm',
          method: 'POST',
          path: '/streams/{ms}',
          target,
          mode: 'sse',
          executionTimeoutSeconds: 60,
        },
      ],
    },
    times,
  )
}

/** Streams through a gateway that is not killed: all their leases are released when they end. */
async function releaseAll(world: World): Promise<readonly Figure[]> {
  const { context, redis } = world
  const gateway = await startStreamGateway(world, HOUR_MS)
  try {
    const [limit, tenants] = [scaled(context, 'limit'), scaled(context, 'tenants')]
    const visits = Array.from({ length: limit * tenants }, (_, index): Visit => {
      const endsAfterMs = index % 2 === 0 ? 0 : STREAM_MS
      const leaves = { after: 'head', ms: STREAM_MS * 2 } as const
      return { port: gateway.port, tenant: `ending-${index % tenants}`, endsAfterMs, leaves }
    })
    const results = await Promise.all(visits.map(openAndLeave))
    const left = await until(() => leasesOf(redis, visits), isNone, scaled(context, 'releaseMs'))
    const opened = results.filter((result) => result === outcomes.success.status).length
    return [
      { name: 'streams without a kill', measured: opened, limit: visits.length, kind: 'exactly' },
      { name: 'leases left of streams that ended', measured: left, limit: 0, kind: 'exactly' },
    ]
  } finally {
    await gateway.kill()
  }
}

async function leasesOf(redis: RedisServer, visits: readonly Visit[]): Promise<number> {
  const tenants = [...new Set(visits.map(({ tenant }) => tenant))]
  const counts = await Promise.all(tenants.map((tenant) => redis.command('ZCARD', leaseKey(tenant))))
  return counts.reduce((sum: number, count) => sum + Number(count), 0)
}

const isNone = (count: number) => count === 0

const keysIn = async (redis: RedisServer) => Number(await redis.command('DBSIZE'))

/** Each cycle opens a stream and leaves it, or leaves before the answer. A refused stream is tried again. */
async function visitAll(world: World): Promise<readonly Figure[]> {
  const { context, upstream } = world
  const cycles = scaled(context, 'cycles')
  const tenants = scaled(context, 'tenants')
  const seeded = createSeeded(context.seed)
  const seen = new Map<Visited, number>()
  const killer = createKiller(world)
  const work = {
    count: cycles,
    workers: CLIENTS,
    signal: context.signal,
    progress: (done: number) =>
      context.tell(`shared-limit: ${done} cycles, ${killer.count()} killed, ${JSON.stringify([...seen])}`),
  }
  let visited = 0
  await doAll(work, async (index) => {
    killer.at(index)
    // Some clients leave before the answer. The others repeat until they had their stream.
    const leaves: Visit['leaves'] = seeded.chance(0.2)
      ? { after: 'asking', ms: seeded.between(0, 8) }
      : { after: 'head', ms: seeded.between(0, 60) }
    const visit = {
      tenant: `tenant-${seeded.below(tenants)}`,
      endsAfterMs: seeded.chance(0.3) ? seeded.between(1, 40) : 0,
      leaves,
    }
    while (!context.signal.aborted) {
      const { port } = seeded.pick(world.gateways.filter((gateway) => gateway !== undefined))
      const result = await openAndLeave({ ...visit, port })
      seen.set(result, (seen.get(result) ?? 0) + 1)
      if (result !== conditions.limit_exceeded && result !== 'connection lost') {
        visited += 1
        return
      }
      await wait(seeded.between(2, 20))
    }
  })
  await killer.settled()
  const { status: open } = outcomes.success
  const expected: readonly Visited[] = [
    open,
    conditions.limit_exceeded,
    'connection lost',
    'left before the answer',
  ]
  const limit = scaled(context, 'limit')
  const other = [...seen].filter(([result]) => !expected.includes(result)).length
  return [
    { name: 'connect and abort cycles', measured: visited, limit: cycles, kind: 'exactly' },
    { name: 'streams at the upstream', measured: upstream.opened(), limit: cycles / 2, kind: 'at least' },
    { name: 'gateways killed', measured: killer.count(), limit: scaled(context, 'kills'), kind: 'exactly' },
    { name: 'most open at once of a tenant', measured: upstream.most(), limit, kind: 'exactly' },
    { name: 'other answers than a stream or the limit', measured: other, limit: 0, kind: 'exactly' },
  ]
}

/** Kills gateways at even distances during the cycles and starts a successor for each. */
function createKiller(world: World) {
  const seeded = createSeeded(world.context.seed, 1)
  const every = scaled(world.context, 'cycles') / (scaled(world.context, 'kills') + 1)
  const pending = new Set<Promise<void>>()
  let count = 0
  const kill = async (place: number) => {
    const victim = world.gateways[place]
    world.gateways[place] = undefined
    await victim?.kill()
    world.gateways[place] = await startStreamGateway(world, scaled(world.context, 'lease'))
  }
  return {
    count: () => count,
    at(index: number) {
      // At least one gateway stays alive, and a gateway is killed once.
      const alive = [...world.gateways.keys()].filter((place) => world.gateways[place] !== undefined)
      if (index < (count + 1) * every || count >= scaled(world.context, 'kills') || alive.length < 2) return
      count += 1
      const killing = kill(seeded.pick(alive)).finally(() => pending.delete(killing))
      pending.add(killing)
    },
    settled: async () => void (await Promise.all(pending)),
  }
}

/** The streams that upstream, gateways and Redis still count when all clients have left. */
async function finalFigures({ context, upstream, redis, gateways }: World): Promise<readonly Figure[]> {
  const withinMs = scaled(context, 'lease') + LATE_MS
  const sum = async (name: string) => {
    const scrapes = await Promise.all(gateways.map((gateway) => gateway?.metrics() ?? ''))
    return scrapes.reduce((total, scrape) => total + seriesSum(scrape, name), 0)
  }
  const none = { limit: 0, kind: 'exactly' } as const
  return [
    {
      name: 'open at the upstream at the end',
      measured: await until(upstream.open, isNone, withinMs),
      ...none,
    },
    {
      name: 'open by the gauges at the end',
      measured: await until(() => sum('agentic_gateway_sse_connections_active'), isNone, withinMs),
      ...none,
    },
    {
      name: 'keys in Redis at the end',
      measured: await until(() => keysIn(redis), isNone, withinMs),
      ...none,
    },
    {
      name: 'streams decided on without Redis',
      measured: await sum('agentic_gateway_shared_limit_local_decisions_total'),
      ...none,
    },
  ]
}
