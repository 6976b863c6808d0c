import { eventually } from '@agentic-rest/testing/eventually'
import { freePort } from '@agentic-rest/testing/free-port'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { headerValues } from '@agentic-rest/testing/send-request'
import { answerJson, startResetting, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, test } from 'vitest'
import { startBlackhole } from '../harness/blackhole.ts'
import { expectRefusal } from '../harness/expect-refusal.ts'
import { codeOf, startKeyed } from './keyed.ts'

test('a request that left and got no answer is never sent again', async () => {
  const service = await startResetting()
  const gateway = await startKeyed({ target: service.url })
  expectRefusal(await gateway.book('k'), 424, 'UPSTREAM_UNAVAILABLE')
  const retry = await gateway.book('k')
  expect(JSON.parse(retry.body.toString())).toMatchObject({
    type: 'conflict',
    code: 'IDEMPOTENCY_OUTCOME_UNKNOWN',
  })
  expect([retry.status, service.received(), await gateway.counted('unknown')]).toEqual([409, 1, 1])
})

test('with several targets it goes to none of them', async () => {
  const services = [await startResetting(), await startResetting()]
  const targets = services.map(({ url }) => url)
  const gateway = await startKeyed({
    route: { upstream: 'bookings' },
    upstreams: { bookings: { targets, retry: { attempts: 1 } } },
  })
  expectRefusal(await gateway.book('k'), 424, 'UPSTREAM_UNAVAILABLE')
  expect(codeOf(await gateway.book('k'))).toEqual([409, 'IDEMPOTENCY_OUTCOME_UNKNOWN'])
  expect(services.reduce((sum, { received }) => sum + received(), 0)).toBe(1)
})

test('onUnknown resend sends it again', async () => {
  let isBroken = true
  const service = await startUpstream((_request, response) => {
    if (isBroken) response.destroy()
    else answerJson(response, { status: 201, body: { done: true } })
  })
  const gateway = await startKeyed({ target: service.url, idempotency: { onUnknown: 'resend' } })
  expectRefusal(await gateway.book('k'), 424, 'UPSTREAM_UNAVAILABLE')
  isBroken = false
  expect((await gateway.book('k')).status).toBe(201)
  const replay = await gateway.book('k')
  expect([replay.status, headerValues(replay, 'idempotency-replayed')]).toEqual([201, ['true']])
})

test('a connection that was refused frees the key', async () => {
  const port = await freePort()
  const gateway = await startKeyed({ target: `http://127.0.0.1:${port}` })
  for (const _ of [1, 2]) expectRefusal(await gateway.book('k'), 424, 'UPSTREAM_UNAVAILABLE')
  expect([await gateway.counted('claimed'), await gateway.counted('unknown')]).toEqual([2, 0])
})

test('a deadline before there is a connection frees the key', async () => {
  const target = `http://127.0.0.1:${await startBlackhole()}`
  const gateway = await startKeyed({ target, route: { executionTimeoutSeconds: 1 } })
  expectRefusal(await gateway.book('k'), 500, 'EXECUTION_TIMEOUT')
  expectRefusal(await gateway.book('k'), 500, 'EXECUTION_TIMEOUT')
})

test('a request that was never sent goes to another target', async () => {
  const service = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const refused = `http://127.0.0.1:${await freePort()}`
  const gateway = await startKeyed({
    route: { upstream: 'bookings' },
    upstreams: { bookings: { targets: [refused, service.url] } },
  })
  const keys = Array.from({ length: 8 }, (_, index) => `k${index}`)
  for (const key of keys) expect((await gateway.book(key)).status).toBe(200)
})

test('after the deadline the outcome is unknown', async () => {
  const service = await startUpstream(() => undefined)
  const gateway = await startKeyed({ target: service.url, route: { executionTimeoutSeconds: 1 } })
  expectRefusal(await gateway.book('k'), 500, 'EXECUTION_TIMEOUT')
  expect(codeOf(await gateway.book('k'))).toEqual([409, 'IDEMPOTENCY_OUTCOME_UNKNOWN'])
  expect(service.requests).toHaveLength(1)
})

test('an answer that breaks off is not passed on, and its outcome is unknown', async () => {
  const service = await startUpstream((_request, response) => {
    response.writeHead(201, { 'Content-Type': 'application/json', 'Content-Length': '1000' })
    response.write('{"half":', () => response.destroy())
  })
  const gateway = await startKeyed({ target: service.url })
  expectRefusal(await gateway.book('k'), 424, 'UPSTREAM_INVALID_RESPONSE')
  expect(codeOf(await gateway.book('k'))).toEqual([409, 'IDEMPOTENCY_OUTCOME_UNKNOWN'])
})

test('a client that leaves does not end its call, which is charged once, and the retry gets the answer', async () => {
  const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }
  const release = Promise.withResolvers<void>()
  let aborted = false
  const service = await startUpstream(async (_request, response) => {
    response.on('close', () => {
      aborted ||= !response.writableFinished
    })
    await release.promise
    answerJson(response, { status: 201, body: { usage } })
  })
  const rate_limits = [{ name: 'tokens', key: ['tenant'], tokens: 10_000, per: 'month', estimate: 500 }]
  const gateway = await startKeyed({ target: service.url, gateway: { rate_limits } })
  const leaving = new AbortController()
  const first = gateway.book('k', { signal: leaving.signal }).catch(() => 'left')
  await eventually(
    () => service.requests.length,
    (count) => count === 1,
  )
  leaving.abort()
  expect(await first).toBe('left')
  expect(codeOf(await gateway.book('k'))).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
  release.resolve()
  const retry = await eventually(
    () => gateway.book('k'),
    ({ status }) => status !== 409,
  )
  expect([retry.status, retry.body.toString(), aborted]).toEqual([201, JSON.stringify({ usage }), false])
  const charged = async () => {
    const text = await gateway.metrics()
    return ['input', 'output', 'reserved'].map((kind) => metricValue(text, 'agentic_tokens_total', { kind }))
  }
  expect(await eventually(charged, (counts) => counts.some((count) => count > 0))).toEqual([3, 4, 0])
  expect(service.requests).toHaveLength(1)
  const record = await eventually(
    () => gateway.audit.find((each) => (each['attributes'] as { status: string }).status === '0'),
    (found) => found !== undefined,
  )
  expect(record).toMatchObject({ outcome: 'error', attributes: { upstream: 'book' } })
})

test('a client that leaves before its stream begins ends the stream', async () => {
  const release = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<void>()
  const service = await startUpstream(async (_request, response) => {
    response.on('close', () => closed.resolve())
    await release.promise
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    response.write('data: 1\n\n')
  })
  const gateway = await startKeyed({ target: service.url, route: { mode: 'sse' } })
  const leaving = new AbortController()
  const headers = { accept: 'text/event-stream' }
  const first = gateway.book('k', { signal: leaving.signal, headers }).catch(() => 'left')
  await eventually(
    () => service.requests.length,
    (count) => count === 1,
  )
  leaving.abort()
  expect(await first).toBe('left')
  release.resolve()
  await closed.promise
  const retry = await eventually(
    () => gateway.book('k'),
    (answer) => codeOf(answer)[1] !== 'IDEMPOTENCY_IN_PROGRESS',
  )
  expect(codeOf(retry)).toEqual([409, 'IDEMPOTENCY_NOT_REPLAYABLE'])
})

test('a keyed request takes a new connection, so that an idle one cannot lose it', async () => {
  let connections = 0
  const service = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  service.server.on('connection', () => {
    connections += 1
  })
  const gateway = await startKeyed({ target: service.url })
  for (const key of ['k1', 'k2', 'k3']) await gateway.book(key)
  expect(connections).toBe(3)
})
