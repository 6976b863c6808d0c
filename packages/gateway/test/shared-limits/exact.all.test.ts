import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '@agentic-rest/testing/eventually'
import { openStream } from '@agentic-rest/testing/stream-client'
import { expect } from 'vitest'
import { askAtOnce } from '../harness/ask-at-once.ts'
import { expectLimitExceeded, readFetched } from '../harness/expect-outcome.ts'
import { quickTimes } from './quick-times.ts'
import { keysLeft, leases, sharedLine, startThree, testWithRedis } from './with-redis.ts'

testWithRedis(
  'of 1,000 streams asked for at once on three gateways exactly 10 open, and none is left',
  async (start) => {
    const redis = await start()
    // A thousand streams keep this process busy; that must not lose a lease or the connection to Redis.
    const times = { ...quickTimes, leaseMs: 15_000, answerWithinMs: 10_000 }
    const { gateways, upstream } = await startThree(redis.url, { times })
    const ports = gateways.map(({ port }) => port)
    const { statuses, leave } = await askAtOnce(1000, ports, '/llm')
    expect(statuses.filter((status) => status === 200)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(990)
    expect(upstream.streams).toHaveLength(10)
    expect(await leases(redis)).toBe(10)
    for (const gateway of gateways) {
      expect(gateway.told()).toEqual([sharedLine])
      expect(await gateway.degraded()).toEqual([])
      expect(await gateway.metrics()).toContain('agentic_gateway_shared_limit_local_decisions_total 0')
    }
    leave()
    await Promise.all(upstream.streams.map(({ closed }) => closed))
    await eventually(
      () => leases(redis),
      (count) => count === 0,
    )
    await eventually(
      () => keysLeft(redis),
      (keys) => keys.length === 0,
    )
  },
)

testWithRedis(
  'a slot that one gateway gives back is free for another, for each tenant by itself',
  async (start) => {
    const redis = await start()
    const { gateways, upstream } = await startThree(redis.url, { limit: 2 })
    const [first, second, third] = gateways
    const one = await openStream({ url: first.streamUrl })
    const two = await openStream({ url: second.streamUrl })
    const headers = { accept: 'text/event-stream', 'X-Tenant-ID': 'acme' }
    expectLimitExceeded(await readFetched(await fetch(third.streamUrl, { method: 'POST', headers })))
    const other = await openStream({ url: third.streamUrl, headers: { 'x-tenant-id': 'globex' } })
    expect([one, two, other].map(({ response }) => response.statusCode)).toEqual([200, 200, 200])
    one.leave()
    await (await upstream.opened(0)).closed
    await eventually(
      () => leases(redis),
      (count) => count === 1,
    )
    expect((await openStream({ url: third.streamUrl })).response.statusCode).toBe(200)
  },
)

testWithRedis(
  'streams outlive their lease, and a gateway that drains leaves nothing in Redis',
  async (start) => {
    const redis = await start()
    const { gateways, upstream } = await startThree(redis.url, { limit: 1 })
    const [first, second] = gateways
    const client = await openStream({ url: first.streamUrl })
    const end = performance.now() + 2.5 * quickTimes.leaseMs
    const status = async () => (await openStream({ url: second.streamUrl })).response.statusCode
    // Wait: the time is the subject: slots stay taken for longer than a lease.
    for (; performance.now() < end; await sleep(20)) expect(await status()).toBe(429)
    const { response } = await upstream.opened(0)
    const drained = first.gateway.drain()
    response.end('data: bye\n\n')
    await drained
    expect(await client.ended).toMatchObject({ complete: true, text: 'data: bye\n\n' })
    expect(await leases(redis)).toBe(0)
  },
)
