import { eventually } from '@agentic-rest/testing/eventually'
import { headerValues } from '@agentic-rest/testing/send-request'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect } from 'vitest'
import { errorCodes } from '../../src/errors.ts'
import { createKeyStore } from '../../src/idempotency/create-key-store.ts'
import { keysLeft, testWithRedis } from '../shared-limits/with-redis.ts'
import { codeOf, type KeyedSetting, startKeyed } from './keyed.ts'

/** Short times for tests, yet long enough that a busy machine loses neither a lease nor its connection. */
const times = {
  leaseMs: 2000,
  renewEveryMs: 200,
  answerWithinMs: 1000,
  enterWithinMs: 5000,
  connectWithinMs: 1000,
  retryFromMs: 10,
  retryUpToMs: 50,
}

/** Starts one of several gateways of one Redis. */
function startOf(url: string, setting: KeyedSetting) {
  return startKeyed({
    ...setting,
    gateway: { shared: { redis_url: url }, idempotency: { store: 'shared' } },
    options: { keyStore: (world) => createKeyStore({ ...world, times }) },
  })
}

/** A service that creates a booking with each request, when it is let. */
async function startHeld() {
  let gate = Promise.withResolvers<void>()
  gate.resolve()
  const service = await startUpstream(async (_request, response) => {
    await gate.promise
    answerJson(response, { status: 201, body: { booking: service.requests.length } })
  })
  return {
    ...service,
    hold() {
      gate = Promise.withResolvers<void>()
    },
    release: () => gate.resolve(),
    received: (count: number) =>
      eventually(
        () => service.requests.length,
        (now) => now >= count,
      ),
  }
}

const startTwo = async (redis: string, target: string) =>
  [await startOf(redis, { target }), await startOf(redis, { target })] as const

testWithRedis('gateways of one Redis share their keys', async (startRedis) => {
  const [redis, service] = [await startRedis(), await startHeld()]
  const [one, two] = await startTwo(redis.url, service.url)
  service.hold()
  const first = one.book('k')
  await service.received(1)
  expect(codeOf(await two.book('k'))).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
  service.release()
  expect((await first).body.toString()).toBe('{"booking":1}')
  const replay = await two.book('k')
  expect([replay.status, replay.body.toString(), headerValues(replay, 'idempotency-replayed')]).toEqual([
    201,
    '{"booking":1}',
    ['true'],
  ])
  expect(codeOf(await two.book('k', { body: '{}' }))).toEqual([422, 'VALIDATION_FAILED'])
  expect(await keysLeft(redis)).toEqual([expect.stringMatching(/^agentic:idem:v1:[\w-]{43}$/)])
  expect(service.requests).toHaveLength(1)
})

testWithRedis(
  'a call is renewed beyond its lease, and that of a lost gateway is unknown',
  async (startRedis) => {
    const [redis, service] = [await startRedis(), await startHeld()]
    const [one, two] = await startTwo(redis.url, service.url)
    service.hold()
    const slow = one.book('slow')
    await service.received(1)
    const key = (await keysLeft(redis))[0] ?? ''
    const leaseOf = async () => Number(await redis.command('HGET', key, 'l'))
    const claimed = await leaseOf()
    await eventually(leaseOf, (lease) => lease > claimed + times.leaseMs)
    expect(codeOf(await two.book('slow'))).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
    service.release()
    expect((await slow).status).toBe(201)
    // A gateway that is gone renews nothing: the end of its lease passes.
    await redis.command('HSET', key, 's', 'running', 'l', '1')
    expect(codeOf(await two.book('slow'))).toEqual([409, 'IDEMPOTENCY_OUTCOME_UNKNOWN'])
    expect(service.requests).toHaveLength(1)
  },
)

testWithRedis(
  'a gateway brings its running keys and its outcomes to a Redis that lost them',
  async (startRedis) => {
    const [redis, service] = [await startRedis(), await startHeld()]
    const [one, two] = await startTwo(redis.url, service.url)
    service.hold()
    const first = one.book('k')
    await service.received(1)
    await redis.restart()
    const reconnected = (times: number) =>
      eventually(
        () =>
          one.log.filter(({ msg }) => msg === 'the idempotency keys are shared with other gateways').length,
        (count) => count === times,
      )
    await reconnected(2)
    const answer = await eventually(
      () => two.book('k'),
      ({ status }) => status !== 424,
    )
    expect(codeOf(answer)).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
    await redis.stop()
    service.release()
    expect((await first).status).toBe(201)
    await redis.restart()
    // Until then a Redis that lost its data knows nothing of the key.
    await reconnected(3)
    const replay = await eventually(
      () => two.book('k'),
      ({ status }) => status === 201,
    )
    expect([replay.body.toString(), service.requests.length]).toEqual(['{"booking":1}', 1])
  },
)

testWithRedis('without Redis a required key is refused, and an optional one goes on', async (startRedis) => {
  const [redis, service] = [await startRedis(), await startHeld()]
  const required = await startOf(redis.url, { target: service.url })
  const optional = await startOf(redis.url, { target: service.url, idempotency: { mode: 'optional' } })
  await redis.stop()
  const refused = await required.book('k')
  expect([refused.status, JSON.parse(refused.body.toString())]).toMatchObject([
    424,
    {
      type: errorCodes.STORE_UNAVAILABLE.type,
      code: 'STORE_UNAVAILABLE',
      message: 'The gateway cannot reach the store of idempotency keys.',
    },
  ])
  expect([(await optional.book('k')).status, (await optional.book('k')).status]).toEqual([201, 201])
  expect([await required.counted('store_error'), await optional.counted('store_error')]).toEqual([1, 2])
  const ready = (await (await fetch(`${required.url}/readyz`)).json()) as { degraded: string[] }
  expect(ready.degraded).toContain('idempotency keys: the store is out of reach')
  await redis.restart()
  await eventually(
    () => required.book('k'),
    ({ status }) => status === 201,
  )
})

testWithRedis('a claim that Redis granted too late is given back', async (startRedis) => {
  const [redis, service] = [await startRedis(), await startHeld()]
  const gateway = await startOf(redis.url, { target: service.url })
  redis.kill('SIGSTOP')
  expect(codeOf(await gateway.book('k'))).toEqual([424, 'STORE_UNAVAILABLE'])
  redis.kill('SIGCONT')
  const answer = await eventually(
    () => gateway.book('k'),
    ({ status }) => status === 201,
  )
  expect([answer.status, service.requests.length]).toEqual([201, 1])
})

testWithRedis('a gateway that is told to end leaves the outcome of its calls unknown', async (startRedis) => {
  const [redis, service] = [await startRedis(), await startHeld()]
  const [one, two] = await startTwo(redis.url, service.url)
  service.hold()
  const first = one.book('k')
  await service.received(1)
  await one.gateway.close()
  expect(codeOf(await first)).toEqual([503, 'SHUTTING_DOWN'])
  expect(codeOf(await two.book('k'))).toEqual([409, 'IDEMPOTENCY_OUTCOME_UNKNOWN'])
  service.release()
})

testWithRedis('a full Redis frees no key of a request that was sent', async (startRedis) => {
  const [redis, service] = [await startRedis(), await startHeld()]
  const [one, two] = await startTwo(redis.url, service.url)
  service.hold()
  const first = one.book('k')
  await service.received(1)
  await redis.command('CONFIG', 'SET', 'maxmemory', '1')
  // The renewal of the key fails.
  await eventually(
    () => one.log.some(({ msg }) => msg === 'the store of idempotency keys is out of reach'),
    Boolean,
  )
  expect(await keysLeft(redis)).toHaveLength(1)
  service.release()
  // So does the store of the answer.
  expect((await first).status).toBe(201)
  expect(await keysLeft(redis)).toHaveLength(1)
  expect(codeOf(await one.book('other'))).toEqual([424, 'STORE_UNAVAILABLE'])
  await redis.command('CONFIG', 'SET', 'maxmemory', '0')
  const replay = await eventually(
    () => two.book('k'),
    ({ status }) => status === 201,
  )
  expect([replay.body.toString(), service.requests.length]).toEqual(['{"booking":1}', 1])
})

testWithRedis('a read-only Redis is out of reach, and that is one line of the log', async (startRedis) => {
  const [redis, service] = [await startRedis(), await startHeld()]
  const gateway = await startOf(redis.url, { target: service.url })
  expect((await gateway.book('first')).status).toBe(201)
  await redis.command('REPLICAOF', '127.0.0.1', '1')
  const lines = () => gateway.log.filter(({ msg }) => String(msg).includes('idempotency keys')).length
  const before = lines()
  for (const key of ['a', 'b', 'c']) {
    expect(codeOf(await gateway.book(key))).toEqual([424, 'STORE_UNAVAILABLE'])
    await eventually(
      () => fetch(`${gateway.url}/readyz`).then((answer) => answer.text()),
      (text) => text.includes('idempotency keys'),
    )
  }
  expect(lines() - before).toBe(1)
  await redis.command('REPLICAOF', 'NO', 'ONE')
  await eventually(
    () => gateway.book('a'),
    ({ status }) => status === 201,
  )
  expect(service.requests).toHaveLength(2)
})
