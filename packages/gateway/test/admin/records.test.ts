import { eventually } from '@agentic-rest/testing/eventually'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { describe, expect, test } from 'vitest'
import type { RawResponse } from '../harness/raw-client.ts'
import { openConnection } from '../harness/raw-connection.ts'
import { sendItem, startAdmin } from './harness/start-admin.ts'

function event(correlationId: string, more: Record<string, unknown> = {}) {
  return {
    event_type: 'agentic.response.written',
    tenant_id: 'acme',
    actor_id: 'alice',
    request_id: 'req-1',
    correlation_id: correlationId,
    operation: 'create-optimization',
    resource_id: 'cmp-1',
    outcome: 'created',
    timestamp: '2026-01-01T00:00:01.000Z',
    attributes: { goal: 'ctr' },
    ...more,
  }
}

const LINES = 'application/x-ndjson'

async function post(adminUrl: string, body: string | Buffer, { part = 'campaigns', type = LINES } = {}) {
  const url = `${adminUrl}/api/records?part=${encodeURIComponent(part)}`
  const answer = await sendRequest(url, { method: 'POST', headers: { 'content-type': type }, body })
  return { status: answer.status, body: answer.body.toString() }
}

async function find(adminUrl: string, id: string) {
  const { status, body } = await sendRequest(
    `${adminUrl}/api/records?correlation_id=${encodeURIComponent(id)}`,
  )
  expect(status).toBe(200)
  return JSON.parse(body.toString()) as { correlationId: string; records: Record<string, unknown>[] }
}

const taken = { status: 204, body: '' }
const invalid = (reason: string) => ({
  status: 422,
  body: JSON.stringify({ code: 'INVALID', message: `The records are not valid: ${reason}.` }),
})

describe('posted records', () => {
  test('are found with the records of the gateway, by time, under the name of their part', async () => {
    const { adminUrl, url } = await startAdmin()
    await sendItem(url, 'corr-1')
    const late = event('corr-1', { timestamp: '2099-01-01T00:00:00Z' })
    const early = event('corr-1', { timestamp: '2001-01-01T01:00:00+01:00' })
    expect(await post(adminUrl, `${JSON.stringify(late)}\n\n${JSON.stringify(event('other'))}\n`)).toEqual(
      taken,
    )
    expect(
      await post(adminUrl, JSON.stringify([early]), { part: 'inventory-gateway', type: 'application/json' }),
    ).toEqual(taken)
    const { records } = await eventually(
      () => find(adminUrl, 'corr-1'),
      (found) => found.records.length === 3,
    )
    expect(records[0]).toEqual({ ...early, part: 'inventory-gateway' })
    expect(records[1]).toMatchObject({ part: 'gateway', operation: 'read-item' })
    expect(records[2]).toEqual({ ...late, part: 'campaigns' })
    const recent = await (await fetch(`${adminUrl}/api/recent`)).json()
    expect(recent).toMatchObject({
      exchanges: [{ correlationId: 'corr-1', parts: ['gateway', 'campaigns', 'inventory-gateway'] }],
    })
  })

  test('need an event type, a correlation id and a time; fields outside the profile are dropped', async () => {
    const { adminUrl } = await startAdmin()
    const { event_type, timestamp } = event('c')
    const bare = { event_type, timestamp, correlation_id: 'bare', request_body: 'personal', level: 'INFO' }
    expect(await post(adminUrl, JSON.stringify(bare))).toEqual(taken)
    expect((await find(adminUrl, 'bare')).records).toEqual([
      {
        event_type,
        timestamp,
        correlation_id: 'bare',
        part: 'campaigns',
        tenant_id: '',
        actor_id: '',
        request_id: '',
        operation: '',
        resource_id: '',
        outcome: '',
        attributes: {},
      },
    ])
  })

  test('are all refused if one of them is invalid', async () => {
    const { adminUrl } = await startAdmin()
    const cases: [unknown, string][] = [
      [[null], 'record 2: it is not an object'],
      [['x'], 'record 2: it is not an object'],
      [[event('')], 'record 2: correlation_id is missing'],
      [[event('c', { event_type: '' })], 'record 2: event_type is missing'],
      [[event('c', { timestamp: '' })], 'record 2: timestamp is missing'],
      [[event('c', { timestamp: 'yesterday' })], 'record 2: timestamp is none'],
      [[event('c', { timestamp: '2026-02-30T00:00:00Z' })], 'record 2: timestamp is none'],
      [[event('c', { actor_id: 7 })], 'record 2: actor_id is not a text of at most 1024 characters'],
      [
        [event('c', { outcome: 'x'.repeat(1025) })],
        'record 2: outcome is not a text of at most 1024 characters',
      ],
      [[event('c', { attributes: [] })], 'record 2: attributes is not a map of short texts'],
      [[event('c', { attributes: null })], 'record 2: attributes is not a map of short texts'],
      [[event('c', { attributes: { n: 1 } })], 'record 2: attributes is not a map of short texts'],
      [
        [event('c', { attributes: Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`a${n}`, ''])) })],
        'record 2: attributes is not a map of short texts',
      ],
    ]
    for (const [values, reason] of cases) {
      const body = JSON.stringify([event('good'), ...(values as unknown[])])
      expect(await post(adminUrl, body, { type: 'application/json' }), reason).toEqual(invalid(reason))
    }
    expect((await find(adminUrl, 'good')).records).toEqual([])
  })

  test('with a long resource or attribute are cut, so that no caller hides the records of others', async () => {
    const { adminUrl } = await startAdmin()
    const long = 'é'.repeat(10_000)
    const records = [event('good'), event('long', { resource_id: long, attributes: { path: long, n: '1' } })]
    expect(await post(adminUrl, JSON.stringify(records), { type: 'application/json' })).toEqual(taken)
    expect((await find(adminUrl, 'good')).records).toHaveLength(1)
    const cut = 'é'.repeat(1024)
    expect((await find(adminUrl, 'long')).records).toMatchObject([
      { resource_id: cut, attributes: { path: cut, n: '1' } },
    ])
  })

  test('of a part in another spelling are records of that part', async () => {
    const { adminUrl } = await startAdmin()
    const line = JSON.stringify(event('corr-case'))
    for (const part of ['campaigns', 'Campaigns', 'CAMPAIGNS']) await post(adminUrl, line, { part })
    const { records } = await find(adminUrl, 'corr-case')
    expect(records.map(({ part }) => part)).toEqual(['campaigns', 'campaigns', 'campaigns'])
  })

  test('have to be JSON of a known type, from a part with its own name', async () => {
    const { adminUrl } = await startAdmin()
    const line = JSON.stringify(event('c'))
    expect(await post(adminUrl, '{', {})).toEqual(invalid('the body is not JSON'))
    expect(await post(adminUrl, '{}', { type: 'application/json' })).toEqual(
      invalid('the body is not a list'),
    )
    expect(await post(adminUrl, line, { type: 'text/plain' })).toEqual(
      invalid('the body has to be application/x-ndjson or application/json'),
    )
    for (const part of ['', 'gateway', 'Gateway', 'GATEWAY', '../x', 'a b', 'x'.repeat(65), '<script>'])
      expect(await post(adminUrl, line, { part }), part).toEqual(
        invalid('the query has to name the part that wrote them'),
      )
    const many = `${line}\n`.repeat(1001)
    expect(many.length).toBeGreaterThan(256 * 1024)
    const short = JSON.stringify({ event_type: 'e', correlation_id: 'c', timestamp: '2026-01-01T00:00:00Z' })
    expect(await post(adminUrl, `${short}\n`.repeat(1001))).toEqual(
      invalid('there are more than 1000 records'),
    )
  })

  test('may contain names of prototype members', async () => {
    const { adminUrl } = await startAdmin()
    const line = JSON.stringify(event('__proto__')).replace('"goal"', '"__proto__"')
    expect(await post(adminUrl, line, { part: 'constructor' })).toEqual(taken)
    const { records } = await find(adminUrl, '__proto__')
    expect(records).toHaveLength(1)
    expect(JSON.stringify(records[0]?.['attributes'])).toBe('{"__proto__":"ctr"}')
    expect(({} as Record<string, unknown>)['goal']).toBeUndefined()
  })
})

describe('a body that is too large', () => {
  const tooLarge = {
    status: 413,
    body: JSON.stringify({ code: 'TOO_LARGE', message: 'The body is larger than 262144 bytes.' }),
  }

  test('is refused by its length, before it is read', async () => {
    const { adminPort } = await startAdmin()
    const connection = await openConnection(adminPort)
    connection.send(
      'POST /api/records?part=x HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n' +
        'Content-Length: 1000000000\r\n\r\n[',
    )
    const { status, body } = await connection.response()
    expect({ status, body }).toEqual(tooLarge)
  })

  test('is refused while it arrives when it has no length', async () => {
    const { adminUrl } = await startAdmin()
    const { status, body } = await sendRequest(`${adminUrl}/api/records?part=x`, {
      method: 'POST',
      headers: { 'content-type': LINES, 'transfer-encoding': 'chunked' },
      body: Buffer.alloc(300 * 1024, 0x20),
    })
    expect({ status, body: body.toString() }).toEqual(tooLarge)
  })
})

test('more than 4 MiB in a second are refused before a byte is read', async () => {
  const { adminPort, url } = await startAdmin()
  const head =
    'POST /api/records?part=x HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n' +
    'Content-Length: 262144\r\n\r\n'
  const answers: RawResponse[] = []
  for (let count = 0; count < 64; count += 1) {
    const connection = await openConnection(adminPort)
    connection.send(head)
    void connection.response().then((answer) => answers.push(answer), ignore)
  }
  const [refused] = await eventually(
    () => answers,
    ({ length }) => length > 0,
  )
  expect([refused?.status, refused?.headers['retry-after'], JSON.parse(refused?.body ?? '')]).toEqual([
    429,
    '1',
    { code: 'TOO_MANY', message: 'More records come than are taken.' },
  ])
  expect((await fetch(`${url}/items/1`, { headers: { 'X-Tenant-ID': 'acme' } })).status).toBe(200)
})

// The admitted requests wait for their bodies and end with the test.
function ignore(): void {}

test('the newest of many thousand ids are kept', async () => {
  const { adminUrl } = await startAdmin()
  const line = (id: string) =>
    JSON.stringify({ event_type: 'e', correlation_id: id, timestamp: '2026-01-01T00:00:00Z' })
  for (let round = 0; round < 25; round += 1) {
    const lines = Array.from({ length: 1000 }, (_, index) => line(`${round}-${index}`))
    expect(await post(adminUrl, lines.join('\n'))).toEqual(taken)
  }
  for (const [id, count] of [
    ['4-999', 0],
    ['5-0', 1],
    ['24-999', 1],
  ] as const)
    expect((await find(adminUrl, id)).records, id).toHaveLength(count)
})

test('a search needs an id, and an unused id finds nothing', async () => {
  const { adminUrl } = await startAdmin()
  for (const query of ['', '?correlation_id=', '?id=x']) {
    const { status, body } = await sendRequest(`${adminUrl}/api/records${query}`)
    expect([status, JSON.parse(body.toString())]).toEqual([
      422,
      { code: 'INVALID', message: 'correlation_id is missing.' },
    ])
  }
  expect(await find(adminUrl, 'a b&c="<x>')).toEqual({ correlationId: 'a b&c="<x>', records: [] })
})

test('a refused request has a record here, even without one of otel-audit', async () => {
  const { adminUrl, url } = await startAdmin({ config: { plugins: { 'otel-audit': { enabled: false } } } })
  await sendItem(url, 'kept')
  await fetch(`${url}/nowhere`, { headers: { 'X-Correlation-ID': 'refused' } })
  const record = async (id: string) =>
    (
      await eventually(
        () => find(adminUrl, id),
        ({ records }) => records.length === 1,
      )
    ).records[0]
  expect(await record('kept')).toMatchObject({
    event_type: 'agentic.request.received',
    operation: 'read-item',
    resource_id: '1',
    outcome: 'success',
    tenant_id: 'acme',
  })
  expect(await record('refused')).toMatchObject({
    event_type: 'agentic.request.rejected',
    operation: '',
    outcome: 'error',
    attributes: { status: '404', outcome_label: 'not_found' },
  })
})

test('unmatched requests are among the recent ones, newest first, one per id', async () => {
  const { adminUrl, url } = await startAdmin()
  for (const id of ['a', 'b', 'a']) await sendItem(url, id)
  await fetch(`${url}/nowhere`, { headers: { 'X-Correlation-ID': 'c' } })
  const recent = async () => (await (await fetch(`${adminUrl}/api/recent`)).json()) as { exchanges: object[] }
  const { exchanges } = await eventually(recent, (found) => found.exchanges.length === 3)
  expect(exchanges).toMatchObject([
    { correlationId: 'c', requests: [{ route: 'unmatched', outcome: 'not_found' }] },
    { correlationId: 'a', requests: [{ route: 'read-item', count: 2 }] },
    { correlationId: 'b' },
  ])
})

test('the list has as many exchanges as its query asks for, and goes on where it ended', async () => {
  const { adminUrl, url } = await startAdmin()
  const ids = Array.from({ length: 102 }, (_, index) => `c-${index}`)
  for (const id of ids) await sendItem(url, id)
  const list = async (query: string) => {
    const answer = await fetch(`${adminUrl}/api/recent${query}`)
    return ((await answer.json()) as { exchanges: { correlationId: string; at: string }[] }).exchanges
  }
  const idsOf = (exchanges: readonly { correlationId: string }[]) =>
    exchanges.map(({ correlationId }) => correlationId).toSorted()
  await eventually(
    () => list('?limit=512'),
    (found) => found.length === 102,
  )
  const newest = await list('')
  expect(newest).toHaveLength(100)
  expect(await list('?limit=1')).toEqual(newest.slice(0, 1))
  const older = await list(`?until=${newest.at(-1)?.at}`)
  // The end of a page can be one of several exchanges of the same millisecond.
  expect(older[0]?.at).toBe(newest.at(-1)?.at)
  expect(older).toContainEqual(newest.at(-1))
  expect([...new Set(idsOf([...newest, ...older]))]).toEqual(ids.toSorted())
  for (const [query, message] of [
    ['limit=0', 'limit is not a number from 1 to 512.'],
    ['limit=513', 'limit is not a number from 1 to 512.'],
    ['limit=', 'limit is not a number from 1 to 512.'],
    ['limit=1.5', 'limit is not a number from 1 to 512.'],
    ['until=yesterday', 'until is not a time.'],
  ]) {
    const answer = await fetch(`${adminUrl}/api/recent?${query}`)
    expect([answer.status, await answer.json()], query).toEqual([422, { code: 'INVALID', message }])
  }
})

test('the end of background work is listed with its exchange', async () => {
  const { adminUrl, url } = await startAdmin()
  await sendItem(url, 'corr-1')
  const end = event('corr-1', {
    event_type: 'agentic.operation.finished',
    request_id: 'req-corr-1',
    outcome: 'created',
    timestamp: '2099-01-01T00:00:00Z',
    attributes: { status: '201' },
  })
  expect(await post(adminUrl, JSON.stringify(end))).toEqual(taken)
  const { exchanges } = await eventually(
    async () => (await (await fetch(`${adminUrl}/api/recent`)).json()) as { exchanges: object[] },
    (found) => found.exchanges.length === 1,
  )
  expect(exchanges).toMatchObject([
    {
      ended: [{ requestId: 'req-corr-1', outcome: 'created', status: 201, at: '2099-01-01T00:00:00Z' }],
      parts: ['gateway', 'campaigns'],
    },
  ])
})

test('a request of a service names the span that it works for, a request of a client does not', async () => {
  const { adminUrl, url } = await startAdmin()
  const correlationId = '0af76519-16cd-43dd-8448-eb211c80319c'
  const traces = {
    own: '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01',
    client: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  }
  for (const [id, traceparent] of Object.entries(traces)) {
    const headers = { 'X-Correlation-ID': correlationId, 'X-Request-ID': id, traceparent }
    await (await fetch(`${url}/items/1`, { headers })).text()
  }
  const { records } = await eventually(
    () => find(adminUrl, correlationId),
    (found) => found.records.length === 2,
  )
  const parents = records.map((record) => {
    const { request_id, attributes } = record as { request_id: string; attributes: Record<string, string> }
    return [request_id, attributes['parent_span_id']]
  })
  expect(Object.fromEntries(parents)).toEqual({ own: '00f067aa0ba902b7', client: undefined })
})

describe('a taker of records', () => {
  test('gets each with its status and its times', async () => {
    const records: unknown[] = []
    const { url } = await startAdmin({ onRecord: (record) => records.push(record) })
    await sendItem(url, 'corr-1')
    await eventually(
      () => records.length,
      (count) => count === 1,
    )
    expect(records).toMatchObject([
      {
        correlation_id: 'corr-1',
        outcome: 'success',
        attributes: { status: '200', outcome_type: 'success' },
      },
    ])
  })

  test('that fails causes a log line and nothing else', async () => {
    const { url, log } = await startAdmin({
      onRecord: () => {
        throw new Error('no')
      },
    })
    await sendItem(url, 'corr-1')
    await sendItem(url, 'corr-2')
    expect(
      log.filter(({ msg }) => msg === 'a record was not taken').map((line) => line['request_id']),
    ).toContain('req-corr-1')
  })
})
