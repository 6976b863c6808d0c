import { startEventUpstream } from '@agentic-rest/testing/event-upstream'
import { eventually } from '@agentic-rest/testing/eventually'
import { openStream } from '@agentic-rest/testing/stream-client'
import { expect, onTestFinished } from 'vitest'
import { ownTime } from '../harness/own-time.ts'
import { quickTimes } from './quick-times.ts'
import { startSharedProcess } from './start-shared-process.ts'
import { keysLeft, leases, startSharedGateway, testWithRedis } from './with-redis.ts'

testWithRedis(
  'the slots of a gateway that was killed are free when their lease has run out, and not before',
  async (start) => {
    const redis = await start()
    // Long enough that a busy machine kills the gateway and asks for a stream before the leases run out.
    const times = { ...quickTimes, leaseMs: 6000 }
    const upstream = await startEventUpstream()
    const killed = await startSharedProcess(
      {
        gateway: { shared: { redis_url: redis.url }, llm: { max_sse_connections_per_tenant: 2 } },
        routes: [{ id: 'llm', method: 'POST', path: '/llm', target: upstream.url, mode: 'sse' }],
      },
      times,
    )
    onTestFinished(() => killed.kill())
    const gateway = await startSharedGateway({ url: redis.url, upstream, limit: 2, times })
    const statusOf = async (url: string) => (await openStream({ url })).response.statusCode
    const clients = [
      await openStream({ url: `${killed.url}/llm` }),
      await openStream({ url: `${killed.url}/llm` }),
    ]
    expect(await statusOf(gateway.streamUrl)).toBe(429)
    await killed.kill()
    await Promise.all(clients.map(({ ended }) => ended))
    expect(await statusOf(gateway.streamUrl)).toBe(429)
    const ownMs = await ownTime(async () => {
      // Each stream has its own lease; the two were not necessarily taken or renewed at the same time.
      for (const _of of clients)
        await eventually(
          () => statusOf(gateway.streamUrl),
          (status) => status === 200,
        )
    })
    expect(ownMs).toBeLessThan(times.leaseMs + 2500)
    expect(await statusOf(gateway.streamUrl)).toBe(429)
    expect(await leases(redis)).toBe(2)
    await gateway.gateway.close()
    await eventually(
      () => keysLeft(redis),
      (keys) => keys.length === 0,
    )
  },
)
