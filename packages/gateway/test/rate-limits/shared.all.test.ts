import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { eventually } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { startGateway, type TestGateway } from '@agentic-rest/testing/start-gateway'
import type { RedisServer } from '@agentic-rest/testing/start-redis-server'
import { answerJson, startUpstream, type TestUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, onTestFinished } from 'vitest'
import type { GatewayOptions } from '../../src/index.ts'
import { createLimitStore } from '../../src/limits/policies/create-store.ts'
import { redisKey } from '../../src/limits/policies/redis-limits.ts'
import { ownTime } from '../harness/own-time.ts'
import { quickTimes } from '../shared-limits/quick-times.ts'
import { startSharedProcess } from '../shared-limits/start-shared-process.ts'
import { testWithRedis } from '../shared-limits/with-redis.ts'
import { type Pressure, press } from './press.ts'

/** Four a second, ten at once. */
const perTenant = { name: 'per-tenant', requests: 240, per_seconds: 60, burst: 10 }
const INTERVAL_US = 250_000
const INTERVALS = 12
const HOUR_US = 3_600_000_000
const noop = () => undefined

const startItems = () => startUpstream((_request, response) => answerJson(response, { body: {} }))

const configOf = (redisUrl: string, upstream: TestUpstream, rateLimits: readonly object[] = [perTenant]) => ({
  gateway: { shared: { redis_url: redisUrl }, rate_limits: rateLimits },
  routes: [
    { id: 'items', method: 'GET', path: '/items', target: upstream.url },
    { id: 'llm', method: 'POST', path: '/llm', target: upstream.url },
  ],
})

const startShared = (redisUrl: string, upstream: TestUpstream, rateLimits?: readonly object[]) =>
  startGateway(configOf(redisUrl, upstream, rateLimits), {
    limitStore: (world) => createLimitStore({ ...world, times: quickTimes }),
  })

const passed = ({ requests }: TestUpstream, tenant: string) =>
  requests.filter(({ headers }) => headers['x-tenant-id'] === tenant).length

const fallback = async (gateway: TestGateway) =>
  metricValue(await gateway.metrics(), 'agentic_limit_store_fallback')
const untilShared = (gateway: TestGateway) =>
  eventually(
    () => fallback(gateway),
    (value) => value === 0,
  )
const untilAlone = (gateway: TestGateway) =>
  eventually(
    () => fallback(gateway),
    (value) => value === 1,
  )

/** Asks until the test ends at the latest. */
function startPressure(ports: readonly number[], tenant: string): Pressure {
  const pressure = press(ports, tenant)
  onTestFinished(pressure.stop)
  return pressure
}

const redisNow = async (redis: RedisServer) => {
  const [seconds, us] = (await redis.command('TIME')) as [string, string]
  return Number(seconds) * 1_000_000 + Number(us)
}

/** The time up to which a tenant has used its rate, by the clock of Redis. */
const tatOf = async (redis: RedisServer, tenant: string) =>
  Number(await redis.command('GET', redisKey(`per-tenant ${tenant}`)))

const untilPassed = (upstream: TestUpstream, tenant: string, count: number) =>
  eventually(
    () => passed(upstream, tenant),
    (found) => found >= count,
  )

// Under constant pressure every pass moves the time in Redis by one interval, and at a refusal it is more than a burst less one
// ahead. So N = burst + floor(time / interval) requests have passed, however busy this machine is.
testWithRedis(
  'three gateways pass exactly burst + rate, with none, one and two of them killed',
  async (start) => {
    const redis = await start()
    const upstream = await startItems()
    const processes = await Promise.all(
      Array.from({ length: 3 }, () => startSharedProcess(configOf(redis.url, upstream), quickTimes)),
    )
    onTestFinished(async () => void (await Promise.all(processes.map((each) => each.kill()))))
    for (const kills of [0, 1, 2]) {
      const tenant = `kills-${kills}`
      const before = await redisNow(redis)
      const ports = processes.slice(Math.max(0, kills - 1)).map(({ port }) => port)
      const pressure = startPressure(ports, tenant)
      await untilPassed(upstream, tenant, 1)
      const after = await redisNow(redis)
      await untilPassed(upstream, tenant, perTenant.burst + INTERVALS / 2)
      if (kills > 0) await processes[kills - 1]?.kill()
      await untilPassed(upstream, tenant, perTenant.burst + INTERVALS)
      await pressure.stop()
      const [count, tat, now] = [passed(upstream, tenant), await tatOf(redis, tenant), await redisNow(redis)]
      // A gateway that is killed may take requests along that were counted already.
      const lost = kills === 0 ? 0 : (pressure.statuses.get(0) ?? 0)
      const starts = Array.from(
        { length: Math.min(lost, 3) + 1 },
        (_, more) => tat - (count + more) * INTERVAL_US,
      )
      const first = starts.find((at) => at >= before && at <= after)
      expect([tenant, first === undefined ? { count, starts, before, after } : 'exact']).toEqual([
        tenant,
        'exact',
      ])
      const due = perTenant.burst + Math.floor((now - (first ?? 0)) / INTERVAL_US)
      expect(count).toBeLessThanOrEqual(due)
      expect(pressure.statuses.get(429)).toBeGreaterThan(10)
    }
  },
)

testWithRedis(
  'with Redis stopped, emptied and started under load at most three times the limit passes, and soon exactly the limit',
  async (start) => {
    const redis = await start()
    const upstream = await startItems()
    const gateways = await Promise.all(Array.from({ length: 3 }, () => startShared(redis.url, upstream)))
    const ports = gateways.map(({ port }) => port)
    const startedAt = performance.now()
    const pressure = startPressure(ports, 'acme')
    await untilPassed(upstream, 'acme', perTenant.burst + 4)
    await redis.stop()
    for (const gateway of gateways) await untilAlone(gateway)
    await untilPassed(upstream, 'acme', passed(upstream, 'acme') + 20)
    await redis.restart()
    expect(
      await ownTime(async () => {
        for (const gateway of gateways) await untilShared(gateway)
      }),
    ).toBeLessThan(1000)
    await pressure.stop()
    const [count, tat] = [passed(upstream, 'acme'), await tatOf(redis, 'acme')]
    const more = startPressure(ports, 'acme')
    await untilPassed(upstream, 'acme', count + 8)
    await more.stop()
    expect(await tatOf(redis, 'acme')).toBe(tat + (passed(upstream, 'acme') - count) * INTERVAL_US)
    const intervals = Math.floor((1000 * (performance.now() - startedAt)) / INTERVAL_US)
    expect(passed(upstream, 'acme')).toBeLessThanOrEqual(3 * (perTenant.burst + intervals))
    expect([...pressure.statuses.keys()].toSorted()).toEqual([200, 429])
  },
)

testWithRedis('a gateway without Redis says so, and refuses where a policy wants that', async (start) => {
  const redis = await start()
  const upstream = await startItems()
  const gateway = await startShared(redis.url, upstream, [
    { ...perTenant, routes: ['items'] },
    { name: 'tokens-day', tokens: 100, per: 'day', routes: ['llm'], on_store_failure: 'refuse' },
  ])
  const ask = (path: string, method = 'GET') =>
    fetch(`${gateway.url}${path}`, { method, headers: { 'X-Tenant-ID': 'acme' } })
  const degraded = async () =>
    ((await (await fetch(`${gateway.url}/readyz`)).json()) as { degraded: string[] }).degraded
  expect((await ask('/items')).status).toBe(200)
  expect(await degraded()).toEqual([])
  await redis.stop()
  await untilAlone(gateway)
  expect(await degraded()).toContain(
    'shared limits: the store is out of reach, this gateway keeps its rate limits for itself',
  )
  expect((await ask('/items')).status).toBe(200)
  const refused = await ask('/llm', 'POST')
  expect(refused.status).toBe(424)
  expect(await refused.json()).toMatchObject({ type: 'failed_dependency', code: 'STORE_UNAVAILABLE' })
  expect(refused.headers.get('ratelimit-policy')).toBe('"tokens-day";q=100;w=86400;agentic-unit="tokens"')
  expect(refused.headers.get('ratelimit')).toBeNull()
  await redis.restart()
  await untilShared(gateway)
  const lines = gateway.log.filter(({ msg }) => String(msg).includes('rate limits')).map(({ msg }) => msg)
  expect(lines).toEqual([
    'the rate limits are shared with other gateways',
    'the rate limits are not shared, this gateway keeps them for itself',
    'the rate limits are shared with other gateways',
  ])
})

testWithRedis(
  'gateways share a budget, and an emptied Redis has it again with their next requests',
  async (start) => {
    const redis = await start()
    const upstream = await startUpstream((_request, response) =>
      answerJson(response, { body: { usage: { prompt_tokens: 10, completion_tokens: 10 } } }),
    )
    const budget = [{ name: 'tokens-day', tokens: 100, per: 'day', routes: ['llm'] }]
    const [first, second] = [
      await startShared(redis.url, upstream, budget),
      await startShared(redis.url, upstream, budget),
    ]
    const ask = ({ url }: TestGateway, max_tokens: number) =>
      fetch(`${url}/llm`, {
        method: 'POST',
        headers: { 'X-Tenant-ID': 'acme', 'Content-Type': 'application/json' },
        body: JSON.stringify({ max_tokens }),
      })
    const left = async (gateway: TestGateway) => {
      const response = await ask(gateway, 1000)
      expect(response.status).toBe(429)
      return Number(/;r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1])
    }
    const untilLeft = (gateway: TestGateway, rest: number) =>
      eventually(
        () => left(gateway),
        (found) => found === rest,
      )
    expect((await ask(first, 60)).status).toBe(200)
    await untilLeft(second, 80)
    expect((await ask(second, 80)).status).toBe(200)
    await untilLeft(first, 60)
    await redis.command('FLUSHALL')
    // Each gateway brings its own part.
    expect(await left(first)).toBe(80)
    expect(await left(second)).toBe(60)
    await redis.stop()
    await untilAlone(first)
    await untilAlone(second)
    expect((await ask(first, 20)).status).toBe(200)
    // Alone it goes on from the last state that Redis told it, before the second gateway brought its part.
    await untilLeft(first, 60)
    await redis.restart()
    await untilShared(first)
    await untilShared(second)
    expect(await left(second)).toBe(40)
  },
)

testWithRedis('a killed gateway leaves its reservations charged', async (start) => {
  const redis = await start()
  const upstream = await startUpstream(() => undefined)
  const budget = [{ name: 'tokens-day', tokens: 100, per: 'day', routes: ['llm'], estimate: 30 }]
  const config = configOf(redis.url, upstream, budget)
  const killed = await startSharedProcess(config, quickTimes)
  onTestFinished(() => killed.kill())
  const other = await startShared(redis.url, upstream, [{ ...budget[0], estimate: 80 }])
  const ask = (url: string) => fetch(`${url}/llm`, { method: 'POST', headers: { 'X-Tenant-ID': 'acme' } })
  const lost = ask(killed.url).catch(() => 'lost')
  await eventually(
    () => upstream.requests.length,
    (count) => count === 1,
  )
  await killed.kill()
  expect(await lost).toBe('lost')
  const refused = await ask(other.url)
  expect(refused.status).toBe(429)
  expect(refused.headers.get('ratelimit')).toMatch(/^"tokens-day";r=70;/)
})

testWithRedis(
  'gateways share a Redis while a policy changes from requests to tokens or money',
  async (start) => {
    const redis = await start()
    const upstream = await startItems()
    const prices = [{ model: '*', input: 1, output: 1 }]
    const kinds = [
      { requests: 100, per_seconds: 60 },
      { tokens: 5000, per: 'day' },
      { tokens: 5000, per: 'month' },
      { cost: 1, per: 'month' },
    ]
    const gateways = await Promise.all(
      kinds.map((kind) => {
        const { gateway, routes } = configOf(redis.url, upstream, [
          { name: 'fair', routes: ['llm'], ...kind },
        ])
        const limitStore: GatewayOptions['limitStore'] = (world) =>
          createLimitStore({ ...world, times: quickTimes })
        return startGateway({ gateway: { ...gateway, prices: { models: prices } }, routes }, { limitStore })
      }),
    )
    for (let turn = 0; turn < 2; turn += 1)
      for (const { url } of gateways) {
        const answer = await fetch(`${url}/llm`, { method: 'POST', headers: { 'X-Tenant-ID': 'acme' } })
        expect(answer.status).toBe(200)
      }
    expect(await Promise.all(gateways.map(fallback))).toEqual([0, 0, 0, 0])
    const messages = gateways.flatMap(({ log }) => log.map(({ msg }) => msg))
    expect(messages).not.toContain('the rate limits are not shared, this gateway keeps them for itself')
  },
)

testWithRedis('a free model is not stopped by money without Redis', async (start) => {
  const redis = await start()
  const upstream = await startItems()
  const { gateway: section, routes } = configOf(redis.url, upstream, [
    { name: 'money-month', cost: 1, per: 'month', routes: ['llm'], on_store_failure: 'refuse' },
  ])
  const prices = [
    { model: 'free', input: 0, output: 0 },
    { model: 'dear', input: 1, output: 1 },
  ]
  const gateway = await startGateway(
    { gateway: { ...section, prices: { models: prices } }, routes },
    { limitStore: (world) => createLimitStore({ ...world, times: quickTimes }) },
  )
  const ask = async (model: string) => {
    const headers = { 'X-Tenant-ID': 'acme', 'Content-Type': 'application/json' }
    return (await fetch(`${gateway.url}/llm`, { method: 'POST', headers, body: JSON.stringify({ model }) }))
      .status
  }
  expect([await ask('free'), await ask('dear')]).toEqual([200, 200])
  await redis.stop()
  await untilAlone(gateway)
  expect([await ask('free'), await ask('dear')]).toEqual([200, 424])
})

/** Passes bytes to Redis after a pause; counts the connections. */
async function startSlowProxy(redis: RedisServer, pauseMs: number) {
  let connections = 0
  const server = createServer((client) => {
    connections += 1
    const inner = connect(redis.port, '127.0.0.1')
    // Wait: the way to Redis is slow on purpose.
    client.on('data', (bytes) => setTimeout(() => inner.write(bytes), pauseMs))
    inner.pipe(client)
    for (const [one, other] of [
      [client, inner],
      [inner, client],
    ] as const)
      one.on('error', () => undefined).on('close', () => other.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
  }
}

testWithRedis('a Redis that is too slow for requests is not used, and logged once', async (start) => {
  const redis = await start()
  const upstream = await startItems()
  // Four times the limit: time in which this process was blocked does not count, and on a busy machine that is much of it.
  const proxy = await startSlowProxy(redis, 400)
  const times = { ...quickTimes, answerWithinMs: 100, enterWithinMs: 5000, connectWithinMs: 5000 }
  const gateway = await startGateway(configOf(proxy.url, upstream), {
    limitStore: (world) => createLimitStore({ ...world, times }),
  })
  await eventually(proxy.connections, (count) => count >= 4)
  const answer = await fetch(`${gateway.url}/items`, { headers: { 'X-Tenant-ID': 'acme' } })
  expect(answer.status).toBe(200)
  expect(await fallback(gateway)).toBe(1)
  expect(gateway.log.filter(({ msg }) => String(msg).includes('rate limits'))).toEqual([
    expect.objectContaining({
      msg: 'the rate limits are not shared, this gateway keeps them for itself',
      reason: 'TIMEOUT',
    }),
  ])
})

const MANY_TENANTS = 30_000

testWithRedis(
  'a gateway with very many tenants comes back to Redis, however long its counts take',
  async (start) => {
    const redis = await start()
    const proxy = await startSlowProxy(redis, 20)
    await redis.stop()
    const store = createLimitStore({
      shared: { redis_url: proxy.url },
      log: { debug: noop, info: noop, warn: noop, error: noop },
      metrics: { limitStoreKept: noop, limitsDecidedAlone: noop },
      // The counts need 59 calls of 20 ms.
      times: { ...quickTimes, enterWithinMs: 600 },
    })
    onTestFinished(() => store.close())
    await store.warm?.()
    const demand = (tenant: number) => ({
      type: 'rate' as const,
      key: `per-tenant ${tenant}`,
      needsStore: false,
      intervalUs: HOUR_US,
      burst: 10,
    })
    for (let tenant = 0; tenant < MANY_TENANTS; tenant += 1) await store.decide([demand(tenant)])
    expect(store.scope()).toBe('local')
    await redis.restart()
    // A tenant that goes on while the counts are brought.
    let asked = 1
    await eventually(
      async () => {
        if (asked < 8) asked += 1
        if (asked < 8) await store.decide([demand(7)])
        return store.scope()
      },
      (scope) => scope === 'shared',
    )
    const { standings } = await store.decide([demand(7)])
    expect(standings[0]?.left).toBe(10 - Math.min(asked, 7) - 1)
    expect(await tatOf(redis, String(MANY_TENANTS - 1))).toBeGreaterThan(await redisNow(redis))
  },
)
