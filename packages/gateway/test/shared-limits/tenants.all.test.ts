import { eventually } from '@agentic-rest/testing/eventually'
import { expect, onTestFinished, test } from 'vitest'
import { createLog } from '../../src/index.ts'
import { createSharedStreamSlots } from '../../src/limits/streams/shared-slots.ts'
import { startBlackhole } from '../harness/blackhole.ts'
import { quickTimes } from './quick-times.ts'
import { startSilentServer } from './silent-server.ts'
import { keysLeft, leases, testWithRedis } from './with-redis.ts'

/** Slots without a gateway: a gateway would refuse such tenants. */
function createSlots(redis_url: string, times = quickTimes) {
  const slots = createSharedStreamSlots(() => 2, {
    shared: { redis_url },
    log: createLog({ level: 'silent', pretty: false, write: () => undefined }),
    metrics: { sharedLimitKept: () => undefined, streamDecidedAlone: () => undefined },
    times,
  })
  onTestFinished(() => slots.close())
  return slots
}

async function openSlots(redis_url: string) {
  const slots = createSlots(redis_url)
  await slots.warm?.()
  expect(slots.scope()).toBe('shared')
  return slots
}

const hostile = [
  '__proto__',
  'constructor',
  '',
  ' ',
  'a:b',
  'a',
  'a:b:c',
  'b:c',
  '{a}',
  '{}',
  '*',
  'probe',
  'probe:1',
  'line\nbreak',
  'line\r\nbreak',
  'NUL\0',
  'NUL',
  'ä',
  'a\u0308',
  '\u{1f600}',
  'x'.repeat(4096),
  `${'x'.repeat(4095)}y`,
]

testWithRedis('every tenant has slots of its own, whatever its name', async (start) => {
  const redis = await start()
  const [here, there] = [await openSlots(redis.url), await openSlots(redis.url)]
  const first = await Promise.all(hostile.map((tenant) => here.take(tenant)))
  const second = await Promise.all(hostile.map((tenant) => there.take(tenant)))
  const third = await Promise.all(hostile.map((tenant) => here.take(tenant)))
  expect(first.every((release) => release !== undefined)).toBe(true)
  expect(second.every((release) => release !== undefined)).toBe(true)
  expect(third).toEqual(hostile.map(() => undefined))
  expect(hostile.map((tenant) => here.held(tenant))).toEqual(hostile.map(() => 1))
  expect(await Promise.all(hostile.map((tenant) => leases(redis, tenant)))).toEqual(hostile.map(() => 2))
  // A second release frees no second slot.
  for (const release of [...first, ...first, ...second]) release?.()
  expect(hostile.map((tenant) => here.held(tenant))).toEqual(hostile.map(() => 0))
  await eventually(
    () => keysLeft(redis),
    (keys) => keys.length === 0,
  )
})

testWithRedis('two that ask for the last slot at the same time never both get it', async (start) => {
  const redis = await start()
  const [here, there] = [await openSlots(redis.url), await openSlots(redis.url)]
  for (let round = 0; round < 200; round += 1) {
    const tenant = `tenant-${round}`
    const taken = await Promise.all([here, there, here, there, here].map((slots) => slots.take(tenant)))
    expect(taken.filter((release) => release !== undefined)).toHaveLength(2)
    for (const release of taken) release?.()
  }
})

testWithRedis('what a closed gateway held is free at once', async (start) => {
  const redis = await start()
  const [here, there] = [await openSlots(redis.url), await openSlots(redis.url)]
  const release = await here.take('acme')
  await here.take('acme')
  expect(await there.take('acme')).toBeUndefined()
  await here.close()
  expect(await leases(redis)).toBe(0)
  release?.()
  expect(await there.take('acme')).toBeDefined()
  expect(here.scope()).toBe('local')
})

test('a gateway that closes while it connects does not wait for the connection', async () => {
  const never = 3_600_000
  const patient = { ...quickTimes, connectWithinMs: never, enterWithinMs: never }
  for (const port of [await startBlackhole(), await startSilentServer()]) {
    const slots = createSlots(`redis://:password@127.0.0.1:${port}`, patient)
    const warming = slots.warm?.()
    await new Promise(setImmediate)
    await slots.close()
    await warming
    expect(slots.scope()).toBe('local')
  }
})
