import { startEventUpstream } from '@agentic-rest/testing/event-upstream'
import { eventually } from '@agentic-rest/testing/eventually'
import { metricLines, metricValue } from '@agentic-rest/testing/metric-value'
import type { RedisServer } from '@agentic-rest/testing/start-redis-server'
import { openStream } from '@agentic-rest/testing/stream-client'
import { expect } from 'vitest'
import { leaseKey } from '../../src/limits/streams/redis-lease-store.ts'
import { ownTime } from '../harness/own-time.ts'
import { quickTimes } from './quick-times.ts'
import {
  aloneLine,
  aloneReason,
  leases,
  type SharedGateway,
  sharedLine,
  startSharedGateway,
  testWithRedis,
} from './with-redis.ts'

/** Two gateways and a tenant that may have two streams. */
async function startTwo(redis: RedisServer, times = quickTimes) {
  const upstream = await startEventUpstream()
  const setting = { url: redis.url, upstream, limit: 2, times }
  const [first, second] = [await startSharedGateway(setting), await startSharedGateway(setting)]
  return { upstream, first, second }
}

const statusOf = async ({ streamUrl }: SharedGateway) =>
  (await openStream({ url: streamUrl })).response.statusCode

const untilLeases = (redis: RedisServer, count: number) =>
  eventually(
    () => leases(redis),
    (found) => found === count,
  )

/** All reports of a gateway without Redis. */
async function expectAlone(gateway: SharedGateway, reason: RegExp): Promise<void> {
  await gateway.untilLocal()
  expect(await gateway.degraded()).toEqual([aloneReason])
  const [before, after, ...more] = gateway.told()
  expect([before, more]).toEqual([sharedLine, []])
  expect(after).toMatch(reason)
}

/** Both gateways are connected again, and the limit counts the streams of both. */
async function expectTogether(redis: RedisServer, gateways: readonly SharedGateway[]): Promise<void> {
  for (const gateway of gateways) await gateway.untilShared()
  for (const gateway of gateways) {
    expect(await gateway.degraded()).toEqual([])
    expect(gateway.told()).toHaveLength(3)
    expect(gateway.told().at(-1)).toBe(sharedLine)
    expect(await statusOf(gateway)).toBe(429)
  }
  await untilLeases(redis, 4)
}

testWithRedis(
  'with Redis stopped each gateway keeps the limit for itself, and with Redis back they share it',
  async (start) => {
    const redis = await start()
    const { first, second, upstream } = await startTwo(redis)
    const early = await openStream({ url: first.streamUrl })
    expect(await statusOf(second)).toBe(200)
    expect(await statusOf(second)).toBe(429)
    const shared = metricLines(await first.metrics(), 'agentic_gateway_sse_connections_limit')
    expect(shared).toEqual(['agentic_gateway_sse_connections_limit{scope="shared"} 2'])
    await redis.stop()
    for (const gateway of [first, second])
      await expectAlone(gateway, /not shared.* (?:ECONNRESET|SocketClosedUnexpectedlyError)$/)
    expect([await statusOf(first), await statusOf(first)]).toEqual([200, 429])
    expect([await statusOf(second), await statusOf(second)]).toEqual([200, 429])
    const scrape = await first.metrics()
    expect(metricValue(scrape, 'agentic_gateway_shared_limit_local_decisions_total')).toBe(2)
    const local = metricLines(scrape, 'agentic_gateway_sse_connections_limit')
    expect(local).toEqual(['agentic_gateway_sse_connections_limit{scope="local"} 2'])
    await redis.restart()
    await expectTogether(redis, [first, second])
    const { response } = await upstream.opened(0)
    response.write('data: still here\n\n')
    expect(await early.until('still here')).toBe('data: still here\n\n')
  },
)

testWithRedis(
  'with Redis paused a stream is decided on in time, and a slot that was asked for meanwhile does not stay taken',
  async (start) => {
    const redis = await start()
    const { first, second } = await startTwo(redis)
    expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200])
    redis.kill('SIGSTOP')
    // The first gateway is below the limit by its own count. It grants one of two simultaneous streams, and Redis gets both requests when it wakes.
    const statuses = Promise.all([statusOf(first), statusOf(first)])
    expect(await ownTime(() => statuses)).toBeLessThan(5 * quickTimes.answerWithinMs)
    expect((await statuses).toSorted()).toEqual([200, 429])
    await expectAlone(first, /TIMEOUT$/)
    expect(await statusOf(second)).toBe(200)
    redis.kill('SIGCONT')
    await expectTogether(redis, [first, second])
  },
)

testWithRedis('a client that leaves while Redis is paused leaves no lease behind', async (start) => {
  const redis = await start()
  const patient = { ...quickTimes, answerWithinMs: 20_000, enterWithinMs: 20_000 }
  const { first, upstream } = await startTwo(redis, patient)
  redis.kill('SIGSTOP')
  const leaving = new AbortController()
  const request = fetch(first.streamUrl, {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'X-Tenant-ID': 'acme' },
    signal: leaving.signal,
  }).catch((error: Error) => error.name)
  await eventually(first.metrics, (text) => text.includes('agentic_gateway_requests_in_flight 1'))
  leaving.abort()
  expect(await request).toBe('AbortError')
  await eventually(first.metrics, (text) => text.includes('outcome="client_disconnect"'))
  redis.kill('SIGCONT')
  // Redis answers earlier commands before the first command of a new connection.
  await untilLeases(redis, 0)
  expect(upstream.streams).toHaveLength(0)
  expect(first.told()).toEqual([sharedLine])
  expect(await first.metrics()).not.toContain('agentic_gateway_sse_connections_active{')
})

testWithRedis('a Redis that is emptied has the open streams again with the next renewal', async (start) => {
  const redis = await start()
  const { first, second, upstream } = await startTwo(redis)
  expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200])
  await redis.command('FLUSHALL')
  await untilLeases(redis, 2)
  expect(await statusOf(second)).toBe(429)
  expect(first.told()).toEqual([sharedLine])
  expect(upstream.streams.every(({ response }) => !response.closed)).toBe(true)
})

testWithRedis('a Redis that may only be read is no store, until it may be written again', async (start) => {
  const redis = await start()
  const { first, second } = await startTwo(redis)
  expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200])
  await redis.command('REPLICAOF', '127.0.0.1', '1')
  await expectAlone(first, /READONLY$/)
  await expectAlone(second, /READONLY$/)
  expect([await statusOf(first), await statusOf(first), await statusOf(second)]).toEqual([200, 429, 200])
  await redis.command('REPLICAOF', 'NO', 'ONE')
  await expectTogether(redis, [first, second])
})

testWithRedis(
  'a key of another type is left alone, and the gateway with it, until the key is gone',
  async (start) => {
    const redis = await start()
    const { first } = await startTwo(redis)
    await redis.command('SET', leaseKey('acme'), 'mine')
    expect([await statusOf(first), await statusOf(first), await statusOf(first)]).toEqual([200, 200, 429])
    await expectAlone(first, /WRONGTYPE$/)
    expect(await redis.command('GET', leaseKey('acme'))).toBe('mine')
    await redis.command('DEL', leaseKey('acme'))
    await first.untilShared()
    await untilLeases(redis, 2)
  },
)

testWithRedis(
  'a Redis that refuses the password is no store, and neither password nor host is told',
  async (start) => {
    const redis = await start({
      settings: ['--requirepass', 'right'],
      address: (port) => `redis://default:do-not-show@127.0.0.1:${port}`,
    })
    const upstream = await startEventUpstream()
    const gateway = await startSharedGateway({ url: redis.url, upstream, limit: 1 })
    expect(gateway.told()).toEqual([aloneLine('WRONGPASS')])
    expect(await gateway.degraded()).toEqual([aloneReason])
    expect([await statusOf(gateway), await statusOf(gateway)]).toEqual([200, 429])
    expect(JSON.stringify(gateway.log)).not.toMatch(/do-not-show|127\.0\.0\.1|redis:/)
  },
)
