import { setTimeout as wait } from 'node:timers/promises'
import { programPath } from '@agentic-rest/testing/programs'
import { type RedisServer, startRedisServer } from '@agentic-rest/testing/start-redis-server'
import { redisKey } from '../../packages/gateway/src/limits/policies/redis-limits.ts'
import { limitTimes } from '../../packages/gateway/src/limits/policies/shared-store.ts'
import { leaseTimes } from '../../packages/gateway/src/limits/streams/lease-store.ts'
import { type Pressure, press } from '../../packages/gateway/test/rate-limits/press.ts'
import {
  type SharedProcess,
  startSharedProcess,
} from '../../packages/gateway/test/shared-limits/start-shared-process.ts'
import { type ChaosContext, type ChaosRun, type Figure, scaled } from '../chaos-run.ts'
import { type ItemUpstream, startItemUpstream } from '../limits/item-upstream.ts'
import { seriesSum } from '../series.ts'
import { until } from '../until.ts'

/** Constant pressure on three gateways with one rate limit, while gateways are killed and Redis is stopped and emptied. */
export const run: ChaosRun = {
  name: 'limits',
  title:
    'pressure on three gateways with one rate limit, with gateways killed and Redis emptied: exactly the limit',
  // `requests` in `per` seconds, `burst` at once; each of the four windows lasts `seconds`. `answerMs` is the patience with Redis.
  // With `shared` 0, each gateway keeps the limit for itself.
  short: { seconds: 4, requests: 240, per: 60, burst: 10, answerMs: 2000, backMs: 5000, shared: 1 },
  full: {
    seconds: 60,
    requests: 600,
    per: 60,
    burst: 60,
    answerMs: leaseTimes.answerWithinMs,
    backMs: 1000,
    shared: 1,
  },
  run: limits,
}

const GATEWAYS = 3
const NAME = 'per-tenant'
const MICROSECONDS = 1_000_000
const PATIENCE_MS = 30_000

interface World {
  readonly context: ChaosContext
  readonly redis: RedisServer
  readonly upstream: ItemUpstream
  readonly intervalUs: number
}

async function limits(context: ChaosContext): Promise<readonly Figure[]> {
  const redis = await startRedisServer({ program: programPath('redis-server'), folder: context.folder })
  const upstream = await startItemUpstream()
  const intervalUs = Math.ceil((scaled(context, 'per') * MICROSECONDS) / scaled(context, 'requests'))
  const world: World = { context, redis, upstream, intervalUs }
  const gateways: SharedProcess[] = []
  try {
    for (let count = 0; count < GATEWAYS; count += 1) gateways.push(await startLimitedGateway(world))
    // First, because it needs all gateways.
    const outage = await withoutRedis(world, gateways)
    const figures: Figure[] = []
    for (const kills of [0, 1, 2]) figures.push(...(await withKills(world, gateways, kills)))
    return [...figures, ...outage]
  } finally {
    await Promise.all(gateways.map((gateway) => gateway.kill()))
    await redis.stop()
    upstream.close()
  }
}

function startLimitedGateway({ context, redis, upstream }: World): Promise<SharedProcess> {
  const [requests, burst] = [scaled(context, 'requests'), scaled(context, 'burst')]
  const policy = { name: NAME, requests, per_seconds: scaled(context, 'per'), burst }
  const routes = [{ id: 'items', method: 'GET', path: '/items', target: upstream.url }]
  const shared = scaled(context, 'shared') > 0 ? { shared: { redis_url: redis.url } } : {}
  return startSharedProcess(
    { gateway: { ...shared, rate_limits: [policy] }, routes },
    { ...leaseTimes, ...limitTimes, answerWithinMs: scaled(context, 'answerMs') },
  )
}

/** Presses for one window with a kill in its middle. Every pass has moved the time in Redis by one interval. */
async function withKills(
  world: World,
  gateways: readonly SharedProcess[],
  kills: number,
): Promise<readonly Figure[]> {
  const { context, upstream, intervalUs } = world
  const tenant = `kills-${kills}`
  const windowMs = scaled(context, 'seconds') * 1000
  const before = await redisNow(world)
  const pressure = press(portsOf(gateways.slice(Math.max(0, kills - 1))), tenant)
  await until(() => upstream.passed(tenant), isSome, PATIENCE_MS)
  const after = await redisNow(world)
  await wait(windowMs / 2, undefined, { signal: context.signal })
  // Right after a pass: no counted request is lost with the gateway.
  if (kills > 0) {
    const passed = upstream.passed(tenant)
    await until(
      () => upstream.passed(tenant),
      (count) => count > passed,
      PATIENCE_MS,
    )
    await gateways[kills - 1]?.kill()
  }
  await wait(windowMs / 2, undefined, { signal: context.signal })
  await pressure.stop()
  const [tat, now, passed] = [await tatOf(world, tenant), await redisNow(world), upstream.passed(tenant)]
  const charged = Math.round((tat - (before + after) / 2) / intervalUs)
  const due = scaled(context, 'burst') + Math.floor((now - tat + charged * intervalUs) / intervalUs)
  context.tell(`limits: ${passed} passed with ${kills} kills, ${refused(pressure)} refused`)
  const name = (what: string) => `${what} with ${kills} gateways killed`
  return [
    { name: name('passed'), measured: passed, limit: charged, kind: 'exactly' },
    { name: name('burst + rate'), measured: passed, limit: due, kind: 'at most' },
    { name: name('least of burst + rate'), measured: passed, limit: due - 1, kind: 'at least' },
  ]
}

/** Presses while Redis is stopped, emptied and started again. */
async function withoutRedis(world: World, gateways: readonly SharedProcess[]): Promise<readonly Figure[]> {
  const { context, redis, upstream, intervalUs } = world
  const tenant = 'outage'
  const thirdMs = (scaled(context, 'seconds') * 1000) / 3
  const startedAt = performance.now()
  const pressure = press(portsOf(gateways), tenant)
  await wait(thirdMs, undefined, { signal: context.signal })
  await redis.stop()
  await wait(thirdMs, undefined, { signal: context.signal })
  await redis.restart()
  const backAt = performance.now()
  const alone = await until(
    () => fallbacks(gateways),
    (count) => count === 0,
    PATIENCE_MS,
  )
  const backMs = performance.now() - backAt
  await pressure.stop()
  const [count, tat] = [upstream.passed(tenant), await tatOf(world, tenant)]
  const more = press(portsOf(gateways), tenant)
  await wait(thirdMs, undefined, { signal: context.signal })
  await more.stop()
  const intervals = Math.floor(((performance.now() - startedAt) * 1000) / intervalUs)
  const most = GATEWAYS * (scaled(context, 'burst') + intervals)
  const charged = ((await tatOf(world, tenant)) - tat) / intervalUs
  const passed = upstream.passed(tenant)
  return [
    { name: 'passed while Redis was away and back', measured: passed, limit: most, kind: 'at most' },
    { name: 'gateways alone after Redis is back', measured: alone, limit: 0, kind: 'exactly' },
    {
      name: 'until all share again',
      measured: Math.round(backMs),
      unit: 'ms',
      limit: scaled(context, 'backMs'),
      kind: 'at most',
    },
    { name: 'passed after Redis is back', measured: passed - count, limit: charged, kind: 'exactly' },
  ]
}

const portsOf = (gateways: readonly SharedProcess[]) => gateways.map(({ port }) => port)
const isSome = (count: number) => count > 0
const refused = ({ statuses }: Pressure) =>
  [...statuses].reduce(
    (sum, [status, count]) => (status > 0 && Math.floor(status / 100) !== 2 ? sum + count : sum),
    0,
  )

async function fallbacks(gateways: readonly SharedProcess[]): Promise<number> {
  const scrapes = await Promise.all(gateways.map((gateway) => gateway.metrics()))
  return scrapes.reduce((sum, scrape) => sum + seriesSum(scrape, 'agentic_limit_store_fallback'), 0)
}

async function redisNow({ redis }: World): Promise<number> {
  const [seconds, us] = (await redis.command('TIME')) as [string, string]
  return Number(seconds) * MICROSECONDS + Number(us)
}

/** The time up to which a tenant has used its rate, by the clock of Redis. */
async function tatOf({ redis }: World, tenant: string): Promise<number> {
  return Number(await redis.command('GET', redisKey(`${NAME} ${tenant}`)))
}
