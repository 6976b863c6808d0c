import { startEventUpstream } from '@agentic-rest/testing/event-upstream'
import { eventually } from '@agentic-rest/testing/eventually'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { openStream } from '@agentic-rest/testing/stream-client'
import { expect } from 'vitest'
import { aloneReason, leases, startSharedGateway, testWithRedis } from '../shared-limits/with-redis.ts'
import { startSupervisor } from './start-supervisor.ts'

testWithRedis(
  'workers share the limit with other gateways by Redis, and keep it together while Redis is away',
  async (startRedis) => {
    const redis = await startRedis()
    const upstream = await startEventUpstream()
    const other = await startSharedGateway({ url: redis.url, upstream, limit: 4 })
    const { url } = await startSupervisor({
      gateway: { workers: 2, shared: { redis_url: redis.url }, llm: { max_sse_connections_per_tenant: 4 } },
      routes: [{ id: 'llm', method: 'POST', path: '/llm', target: upstream.url, mode: 'sse' }],
    })
    const open = async () => (await openStream({ url: `${url}/llm` })).response.statusCode
    expect((await openStream({ url: other.streamUrl })).response.statusCode).toBe(200)
    expect([await open(), await open(), await open(), await open()]).toEqual([200, 200, 200, 429])
    expect(await leases(redis)).toBe(4)

    await redis.stop()
    const degraded = async () => JSON.parse(String((await sendRequest(`${url}/readyz`)).body)).degraded
    await eventually(degraded, (reasons) => reasons.includes(aloneReason))
    // Three are open here, whichever worker has them.
    expect([await open(), await open(), await open()]).toEqual([200, 429, 429])
  },
)
