import { eventually } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { headerValues } from '@agentic-rest/testing/send-request'
import { answerJson, startUpstream, traceOf } from '@agentic-rest/testing/start-upstream'
import { expect, test } from 'vitest'
import { expectRefusal } from '../harness/expect-refusal.ts'
import { openConnection } from '../harness/raw-connection.ts'
import { codeOf, firstTrace, retryIds, startKeyed } from './keyed.ts'

/** A service that creates a booking with each request. */
async function startBookings() {
  let count = 0
  const service = await startUpstream((request, response) => {
    count += 1
    response.setHeader('Location', `/bookings/${count}`)
    response.setHeader('ETag', '"v1"')
    response.setHeader('X-Internal', 'not stored')
    answerJson(response, { status: 201, body: { booking: count, trace: traceOf(request) } })
  })
  return { ...service, effects: () => count }
}

test('a retry gets the stored answer with its own trace, and the service is called once', async () => {
  const service = await startBookings()
  const gateway = await startKeyed({ target: service.url })
  const first = await gateway.book('key-1')
  const retry = await gateway.book('key-1', { body: ' {"seats": 2}', headers: retryIds })
  expect([first.status, JSON.parse(first.body.toString())]).toEqual([201, { booking: 1, trace: firstTrace }])
  expect(headerValues(first, 'idempotency-replayed')).toEqual([])
  expect([retry.status, JSON.parse(retry.body.toString())]).toEqual([
    201,
    { booking: 1, trace: { requestId: 'req-2', correlationId: 'corr-2' } },
  ])
  const kept = ['content-type', 'location', 'etag', 'x-internal', 'idempotency-replayed', 'x-request-id']
  expect(kept.map((name) => headerValues(retry, name))).toEqual([
    headerValues(first, 'content-type'),
    ['/bookings/1'],
    ['"v1"'],
    [],
    ['true'],
    ['req-2'],
  ])
  expect(service.effects()).toBe(1)
  expect([await gateway.counted('claimed'), await gateway.counted('replayed')]).toEqual([1, 1])
})

test('a replay has a record of its own, and the first request has none of that attribute', async () => {
  const service = await startBookings()
  const gateway = await startKeyed({ target: service.url })
  await gateway.book('key-1')
  await gateway.book('key-1', { headers: retryIds })
  await eventually(
    () => gateway.audit.length,
    (count) => count === 2,
  )
  const told = gateway.audit.map((record) => {
    const { replayed, status, outcome_type } = record['attributes'] as Record<string, string>
    return [record['request_id'], record['outcome'], replayed, status, outcome_type]
  })
  expect(told).toEqual([
    ['req-1', 'success', undefined, '201', 'created'],
    ['req-2', 'success', 'true', '201', 'created'],
  ])
})

test('the members of a JSON body may come in any order, and other changes are refused at the key', async () => {
  const service = await startBookings()
  const gateway = await startKeyed({ target: service.url })
  await gateway.book('key-1', { body: '{"a":1,"b":{"c":[1,2],"d":"x"}}', path: '/bookings/7?b=1&a=2' })
  const same = await gateway.book('key-1', {
    body: '{"b":{"d":"x","c":[1,2]},"a":1}',
    path: '/bookings/7?a=2&b=1',
  })
  expect(same.status).toBe(201)
  const changed = [
    { body: '{"a":1,"b":{"c":[2,1],"d":"x"}}', path: '/bookings/7?a=2&b=1' },
    { body: '{"a":1.0,"b":{"c":[1,2],"d":"x"}}', path: '/bookings/7?a=2&b=1' },
    { body: '{"a":1,"b":{"c":[1,2],"d":"x"}}', path: '/bookings/8?a=2&b=1' },
    { body: '{"a":1,"b":{"c":[1,2],"d":"x"}}', path: '/bookings/7?a=2' },
    {
      body: '{"a":1,"b":{"c":[1,2],"d":"x"}}',
      path: '/bookings/7?a=2&b=1',
      headers: { 'content-type': 'text/plain' },
    },
  ]
  for (const each of changed) {
    const answer = await gateway.book('key-1', each)
    expect([answer.status, JSON.parse(answer.body.toString())]).toEqual([
      422,
      {
        type: 'validation_failed',
        code: 'VALIDATION_FAILED',
        message: 'The request is not valid.',
        errors: [
          {
            field: 'Idempotency-Key',
            message: 'was used for another request or by another caller; use a new key',
          },
        ],
        trace: firstTrace,
      },
    ])
  }
  expect([service.effects(), await gateway.counted('mismatch')]).toEqual([1, changed.length])
})

test('the key of another tenant is another key', async () => {
  const service = await startBookings()
  const gateway = await startKeyed({ target: service.url })
  await gateway.book('key-1')
  const other = await gateway.book('key-1', { headers: { 'x-tenant-id': 'globex' } })
  expect([other.status, service.effects()]).toEqual([201, 2])
})

test('a request while the first one runs is refused with Retry-After', async () => {
  const release = Promise.withResolvers<void>()
  const service = await startUpstream(async (_request, response) => {
    await release.promise
    answerJson(response, { body: { done: true } })
  })
  const gateway = await startKeyed({ target: service.url })
  const first = gateway.book('key-1')
  await eventually(
    () => service.requests.length,
    (count) => count === 1,
  )
  const second = await gateway.book('key-1')
  expect(JSON.parse(second.body.toString())).toEqual({
    type: 'conflict',
    code: 'IDEMPOTENCY_IN_PROGRESS',
    message: 'A request with this idempotency key is still being processed.',
    trace: firstTrace,
  })
  expect([second.status, headerValues(second, 'retry-after')]).toEqual([409, ['1']])
  release.resolve()
  expect((await first).status).toBe(200)
  expect(codeOf(await gateway.book('key-1'))).toEqual([200, undefined])
  expect(service.requests).toHaveLength(1)
})

test('a required key that is missing is asked for, and an unusable one is refused', async () => {
  const service = await startBookings()
  const gateway = await startKeyed({ target: service.url })
  for (const key of [undefined, '']) {
    const asked = await gateway.book(key)
    expect([asked.status, JSON.parse(asked.body.toString())]).toEqual([
      400,
      {
        type: 'clarification_required',
        code: 'CLARIFICATION_REQUIRED',
        message: 'The operation needs an idempotency key.',
        requiredInputs: [
          {
            name: 'Idempotency-Key',
            location: 'header',
            type: 'string',
            required: true,
            question: expect.stringContaining('key'),
          },
        ],
        trace: firstTrace,
      },
    ])
  }
  for (const key of ['x'.repeat(256), 'two words', 'café'])
    expect(codeOf(await gateway.book(key))).toEqual([422, 'VALIDATION_FAILED'])
  expect((await gateway.book('!'.repeat(255))).status).toBe(201)
  expect(service.effects()).toBe(1)
})

test('an optional key may be missing', async () => {
  const service = await startBookings()
  const gateway = await startKeyed({ target: service.url, idempotency: { mode: 'optional' } })
  const statuses = [await gateway.book(undefined), await gateway.book(undefined), await gateway.book('k')]
  expect(statuses.map(({ status }) => status)).toEqual([201, 201, 201])
  expect([service.effects(), await gateway.counted('claimed')]).toEqual([3, 1])
})

test('with mode off the service gets every request', async () => {
  const service = await startBookings()
  const gateway = await startKeyed({ target: service.url, idempotency: { mode: 'off' } })
  await gateway.book('k')
  await gateway.book('k')
  expect([service.effects(), service.requests[1]?.headers['idempotency-key']]).toEqual([2, 'k'])
})

test.each([400, 403, 404, 409, 412, 422, 429, 500, 503])('a %i frees the key', async (status) => {
  let answered = status
  const service = await startUpstream((_request, response) =>
    answerJson(response, { status: answered, body: { done: answered } }),
  )
  const gateway = await startKeyed({ target: service.url, route: { conformance: 'off' } })
  expect((await gateway.book('k', { body: '{"seats":1}' })).status).toBe(status)
  answered = 200
  expect((await gateway.book('k', { body: '{"seats":2}' })).status).toBe(200)
  expect((await gateway.book('k', { body: '{"seats":2}' })).status).toBe(200)
  expect(service.requests).toHaveLength(2)
})

test.each([
  [303, 'IDEMPOTENCY_NOT_REPLAYABLE'],
  [502, 'IDEMPOTENCY_OUTCOME_UNKNOWN'],
  [504, 'IDEMPOTENCY_OUTCOME_UNKNOWN'],
])('a %i is not repeated', async (status, code) => {
  const service = await startUpstream((_request, response) => answerJson(response, { status, body: {} }))
  for (const conformance of ['off', 'enforce']) {
    const gateway = await startKeyed({ target: service.url, route: { conformance } })
    await gateway.book('k')
    expect(codeOf(await gateway.book('k'))).toEqual([409, code])
  }
  expect(service.requests).toHaveLength(2)
})

test('a stream holds its key while it is open, and cannot be replayed', async () => {
  const release = Promise.withResolvers<void>()
  const service = await startUpstream(async (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    response.write('data: 1\n\n')
    await release.promise
    response.end('data: 2\n\n')
  })
  const gateway = await startKeyed({ target: service.url, route: { mode: 'sse' } })
  const stream = gateway.book('k', { headers: { accept: 'text/event-stream' } })
  await eventually(
    () => service.requests.length,
    (count) => count === 1,
  )
  expect(codeOf(await gateway.book('k'))).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
  release.resolve()
  expect((await stream).body.toString()).toBe('data: 1\n\ndata: 2\n\n')
  const retry = await eventually(
    () => gateway.book('k'),
    (answer) => codeOf(answer)[1] !== 'IDEMPOTENCY_IN_PROGRESS',
  )
  expect(JSON.parse(retry.body.toString())).toMatchObject({
    type: 'conflict',
    code: 'IDEMPOTENCY_NOT_REPLAYABLE',
  })
  expect([retry.status, service.requests.length]).toEqual([409, 1])
})

test('an answer above maxStoredBytes is passed on whole, and cannot be replayed', async () => {
  const parts = Array.from({ length: 40 }, (_, index) => String(index % 10).repeat(5000))
  const service = await startUpstream((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/plain' })
    for (const part of parts) response.write(part)
    response.end()
  })
  const gateway = await startKeyed({ target: service.url, idempotency: { maxStoredBytes: 9999 } })
  const first = await gateway.book('k')
  expect(first.body.toString()).toBe(parts.join(''))
  const retry = await eventually(
    () => gateway.book('k'),
    (answer) => codeOf(answer)[1] !== 'IDEMPOTENCY_IN_PROGRESS',
  )
  expect(codeOf(retry)).toEqual([409, 'IDEMPOTENCY_NOT_REPLAYABLE'])
  expect(service.requests).toHaveLength(1)
})

test('a body that comes in parts below the bound is replayed to the byte', async () => {
  const text = JSON.stringify({ big: 'ä€😀'.repeat(2000), id: '9007199254740993' }).replace(/"(\d+)"/, '$1')
  const service = await startUpstream(async (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' })
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; at += 4000) {
      response.write(bytes.subarray(at, at + 4000))
      await new Promise((resolve) => setImmediate(resolve))
    }
    response.end()
  })
  const gateway = await startKeyed({ target: service.url })
  const answers = [await gateway.book('k'), await gateway.book('k')]
  expect(answers.map(({ body }) => body.toString())).toEqual([text, text])
  expect(service.requests).toHaveLength(1)
})

test.each([
  ['another success', { status: 204, headers: {} }],
  ['an encoded answer', { status: 200, headers: { 'content-encoding': 'zstd' } }],
] as const)('%s is not stored, and not repeated', async (_name, { status, headers }) => {
  const service = await startUpstream((_request, response) => {
    response.writeHead(status, headers)
    response.end()
  })
  const gateway = await startKeyed({ target: service.url, route: { conformance: 'off' } })
  expect((await gateway.book('k')).status).toBe(status)
  expect(codeOf(await gateway.book('k'))).toEqual([409, 'IDEMPOTENCY_NOT_REPLAYABLE'])
  expect(service.requests).toHaveLength(1)
})

test('an answer that the gateway does not let through is not repeated', async () => {
  const service = await startUpstream((_request, response) =>
    answerJson(response, {
      status: 202,
      type: 'application/vnd.agentic.accepted+json',
      body: { trace: { requestId: 'x', correlationId: 'y' } },
    }),
  )
  const gateway = await startKeyed({ target: service.url })
  expectRefusal(await gateway.book('k'), 500, 'TRACE_MISMATCH')
  expect(codeOf(await gateway.book('k'))).toEqual([409, 'IDEMPOTENCY_NOT_REPLAYABLE'])
  expect(service.requests).toHaveLength(1)
})

test('a key is free again after ttlSeconds', async () => {
  const service = await startBookings()
  const gateway = await startKeyed({ target: service.url, idempotency: { ttlSeconds: 1 } })
  await gateway.book('k')
  const later = await eventually(
    () => gateway.book('k'),
    (answer) => headerValues(answer, 'idempotency-replayed').length === 0,
  )
  expect([later.status, service.effects()]).toEqual([201, 2])
})

test('a body above the limit is refused before the key is claimed', async () => {
  const service = await startBookings()
  const gateway = await startKeyed({
    target: service.url,
    gateway: { limits: { max_body_bytes: 100 } },
  })
  const headers = { 'transfer-encoding': 'chunked' }
  expectRefusal(await gateway.book('k', { body: 'x'.repeat(200), headers }), 413, 'BODY_TOO_LARGE')
  expect([service.effects(), await gateway.counted('claimed')]).toEqual([0, 0])
})

test('a replay counts against the bytes in memory until its client has read it', async () => {
  const text = 'x'.repeat(12_000_000)
  const service = await startUpstream((_request, response) => void response.end(text))
  const gateway = await startKeyed({
    target: service.url,
    idempotency: { maxStoredBytes: text.length },
    route: { conformance: 'off' },
  })
  expect((await gateway.book('k', { body: '{}' })).body).toHaveLength(text.length)
  const buffered = async () => metricValue(await gateway.metrics(), 'agentic_gateway_buffered_bytes')
  await eventually(buffered, (bytes) => bytes === 0)
  const { send, socket } = await openConnection(gateway.port)
  socket.pause()
  const head = 'Host: a\r\nX-Tenant-ID: acme\r\nIdempotency-Key: k\r\nContent-Type: application/json'
  send(`POST /bookings/7 HTTP/1.1\r\n${head}\r\nContent-Length: 2\r\n\r\n{}`)
  await eventually(buffered, (bytes) => bytes === text.length + 2)
  socket.destroy()
  await eventually(buffered, (bytes) => bytes === 0)
})
