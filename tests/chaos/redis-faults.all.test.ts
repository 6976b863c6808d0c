import { conditions, outcomes } from '@agentic-rest/profile'
import { startEventUpstream } from '@agentic-rest/testing/event-upstream'
import { isLongSet } from '@agentic-rest/testing/long-set'
import { openStream } from '@agentic-rest/testing/stream-client'
import { expect, onTestFinished } from 'vitest'
import { startFaultProxy } from '../../chaos/fault-proxy.ts'
import { type Fault, faults } from '../../chaos/faults.ts'
import { until } from '../../chaos/until.ts'
import { quickTimes } from '../../packages/gateway/test/shared-limits/quick-times.ts'
import {
  leases,
  type StartRedis,
  startSharedGateway,
  testWithRedis,
} from '../../packages/gateway/test/shared-limits/with-redis.ts'

const LIMIT = 3
// Long enough that slow streams keep their lease.
const times = { ...quickTimes, leaseMs: 15_000 }
const BACK_MS = 120_000
/** A silent fault, a visible fault and a wrong protocol. */
const quick = ['answer-swallowed', 'request-reset-before', 'answer-in-another-protocol']

for (const fault of faults.filter(isTried))
  testWithRedis(
    `a tenant keeps its limit through ${fault.name} of Redis, and gets it shared again`,
    (start) => expectLimitKept(start, fault),
  )

function isTried({ name, listener }: Fault): boolean {
  return listener === undefined && (isLongSet || quick.includes(name))
}

async function expectLimitKept(startRedis: StartRedis, fault: Fault): Promise<void> {
  const redis = await startRedis()
  const upstream = await startEventUpstream()
  const proxy = await startFaultProxy({ target: redis.port })
  onTestFinished(() => proxy.close())
  const gateway = await startSharedGateway({
    url: `redis://127.0.0.1:${proxy.port}`,
    upstream,
    limit: LIMIT,
    times,
  })
  const open = async () => (await openStream({ url: gateway.streamUrl })).response.statusCode
  const { status: served } = outcomes.success
  expect(await open()).toBe(served)
  proxy.choose({ onConnection: () => fault, onTurn: () => fault })
  expect([await open(), await open(), await open()]).toEqual([served, served, conditions.limit_exceeded])
  expect(proxy.done.get(fault.name)).toBeGreaterThan(0)
  proxy.choose({})
  await gateway.untilShared()
  const isKept = (count: number) => count === LIMIT
  expect(await until(() => leases(redis), isKept, BACK_MS)).toBe(LIMIT)
  expect(await open()).toBe(conditions.limit_exceeded)
}
