import { expect, test } from 'vitest'
import type { AuditRecord } from '../api/audit-records.ts'
import { buildHops, givenOutcome, type Hop, seenOutcome, seenSpan } from './build-hops.ts'
import { agentGraph, type Example, finishedRecord, gatewayRecord, serviceRecord } from './example-records.ts'
import { flattenHops } from './flatten-hops.ts'

/** A hop and its inner hops as lines. */
function outline(hops: readonly Hop[]): unknown[] {
  return hops.map((hop) => {
    const { gateway, service, later, children } = hop
    const parts = [gateway, service, ...later].map((span) => span?.part ?? '-').join(' > ')
    return children.length === 0 ? parts : [parts, ...outline(children)]
  })
}

test('records of one request join, and a request is below the one that caused it', () => {
  expect(outline(buildHops(agentGraph('success', 'created')))).toEqual([
    ['gateway > recommendations', 'inventory-gateway > inventory'],
  ])
})

test('a stream is one hop, also when its service notices late that the client has left', () => {
  const late = serviceRecord({ part: 'stories', requestId: 'r-1', at: 60, outcome: 'error' })
  const attributes = new Map([...late.attributes, ['events', '2'], ['end', 'client_disconnect']])
  const gateway = gatewayRecord({ part: 'gateway', requestId: 'r-1', at: 0, took: 50, outcome: 'success' })
  expect(outline(buildHops([gateway, { ...late, attributes }]))).toEqual(['gateway > stories'])
})

test('the order in which records arrive does not matter', () => {
  const records = agentGraph('success', 'created')
  expect(outline(buildHops(records.toReversed()))).toEqual(outline(buildHops(records)))
})

test('rounds of one caller are beside each other', () => {
  const records = [
    gatewayRecord({ part: 'gateway', requestId: 'r-1', at: 0, took: 10, outcome: 'clarification_required' }),
    serviceRecord({ part: 'campaigns', requestId: 'r-1', at: 8, outcome: 'clarification_required' }),
    gatewayRecord({ part: 'gateway', requestId: 'r-2', at: 500, took: 20, outcome: 'created' }),
    serviceRecord({ part: 'campaigns', requestId: 'r-2', at: 515, outcome: 'created' }),
  ]
  expect(outline(buildHops(records))).toEqual(['gateway > campaigns', 'gateway > campaigns'])
})

test('requests of one caller at the same time are not below each other', () => {
  const records = [
    gatewayRecord({ part: 'gateway', requestId: 'r-1', at: 0, took: 100, outcome: 'created' }),
    gatewayRecord({ part: 'gateway', requestId: 'r-2', at: 10, took: 5, outcome: 'success' }),
  ]
  expect(outline(buildHops(records))).toEqual(['gateway > -', 'gateway > -'])
})

test('an agent that passes the request id on still makes two hops', () => {
  const records = agentGraph('success', 'created').map((record) => ({ ...record, requestId: 'r-1' }))
  expect(outline(buildHops(records))).toEqual([
    ['gateway > recommendations', 'inventory-gateway > inventory'],
  ])
})

test('work in the background causes requests until it has ended', () => {
  const hops = buildHops([
    gatewayRecord({ part: 'gateway', requestId: 'r-1', at: 0, took: 10, outcome: 'accepted' }),
    serviceRecord({ part: 'campaigns', requestId: 'r-1', at: 8, outcome: 'accepted' }),
    gatewayRecord({
      part: 'other',
      requestId: 'r-2',
      at: 50,
      took: 5,
      outcome: 'success',
      actor: 'campaigns',
    }),
    finishedRecord({ part: 'campaigns', requestId: 'r-1', at: 100, outcome: 'created' }),
  ])
  expect(outline(hops)).toEqual([['gateway > campaigns > campaigns', 'other > -']])
  expect(hops.map(seenOutcome)).toEqual(['accepted'])
  expect(hops.map(givenOutcome)).toEqual(['created'])
})

test('a refused request has no service, and a service without a gateway is a hop too', () => {
  expect(
    outline(
      buildHops([
        gatewayRecord({ part: 'gateway', requestId: 'r-1', at: 0, took: 1, outcome: 'forbidden' }),
        serviceRecord({ part: 'campaigns', requestId: 'r-9', at: 50, outcome: 'success' }),
      ]),
    ),
  ).toEqual(['gateway > -', '- > campaigns'])
})

/** The record of a gateway that knows its spans. */
function spanRecord(example: Example, attributes: object): AuditRecord {
  const { attributes: own, ...record } = gatewayRecord(example)
  return { ...record, attributes: new Map([...own, ...Object.entries(attributes)]) }
}

test('requests of clients are below none, whoever sent them and whatever ran', () => {
  const accepted = { part: 'gateway', requestId: 'r-1', at: 0, took: 10, outcome: 'accepted' }
  const during = { part: 'gateway', took: 5, outcome: 'success' }
  const hops = buildHops([
    spanRecord(accepted, { span_id: 'a' }),
    serviceRecord({ part: 'campaigns', requestId: 'r-1', at: 8, outcome: 'accepted' }),
    spanRecord({ ...during, requestId: 'r-2', at: 50 }, { span_id: 'b' }),
    spanRecord({ ...during, requestId: 'r-3', at: 60, actor: 'dave' }, { span_id: 'c' }),
    spanRecord({ ...during, requestId: 'r-4', at: 70, actor: '' }, { span_id: 'd' }),
    spanRecord(
      { ...during, requestId: 'r-5', at: 80, actor: 'campaigns' },
      { span_id: 'e', service_account: 'true' },
    ),
    finishedRecord({ part: 'campaigns', requestId: 'r-1', at: 100, outcome: 'created' }),
  ])
  expect(outline(hops)).toEqual([
    ['gateway > campaigns > campaigns', 'gateway > -'],
    'gateway > -',
    'gateway > -',
    'gateway > -',
  ])
})

test('a request with the span of a gateway is below that hop, also of the same actor', () => {
  const hops = buildHops([
    spanRecord({ part: 'gateway', requestId: 'r-1', at: 0, took: 100, outcome: 'created' }, { span_id: 'a' }),
    spanRecord(
      { part: 'gateway', requestId: 'r-2', at: 20, took: 10, outcome: 'success' },
      { span_id: 'b', parent_span_id: 'a' },
    ),
    // A clock behind that of its caller.
    spanRecord(
      { part: 'other', requestId: 'r-3', at: -5, took: 10, outcome: 'success' },
      { span_id: 'c', parent_span_id: 'b' },
    ),
  ])
  expect(outline(hops)).toEqual([['gateway > -', ['gateway > -', 'other > -']]])
})

test('spans in a circle hide no hop', () => {
  const circle = [
    ['a', 'b'],
    ['b', 'a'],
    ['c', 'c'],
  ].map(([span_id, parent_span_id], index) =>
    spanRecord(
      { part: 'gateway', requestId: `r-${index}`, at: index * 50, took: 5, outcome: 'success' },
      { span_id, parent_span_id },
    ),
  )
  expect(flattenHops(buildHops(circle))).toHaveLength(3)
})

test('a poll that only its service remembers is beside the work', () => {
  const hops = buildHops([
    gatewayRecord({ part: 'gateway', requestId: 'r-1', at: 0, took: 10, outcome: 'accepted' }),
    serviceRecord({ part: 'campaigns', requestId: 'r-1', at: 8, outcome: 'accepted' }),
    serviceRecord({ part: 'campaigns', requestId: 'r-2', at: 50, outcome: 'success' }),
    finishedRecord({ part: 'campaigns', requestId: 'r-1', at: 100, outcome: 'created' }),
  ])
  expect(outline(hops)).toEqual(['gateway > campaigns > campaigns', '- > campaigns'])
})

test('work in the background lasts from the answer to its end', () => {
  const [hop] = buildHops([
    gatewayRecord({ part: 'gateway', requestId: 'r-1', at: 0, took: 10, outcome: 'accepted' }),
    finishedRecord({ part: 'campaigns', requestId: 'r-1', at: 100, outcome: 'created' }),
  ])
  expect(hop?.later.map(({ startMs, endMs }) => [startMs - hop.startMs, endMs - hop.startMs])).toEqual([
    [10, 100],
  ])
})

test('times are those of arrival and answer', () => {
  const [hop] = buildHops(agentGraph('success', 'created'))
  const start = hop?.startMs ?? 0
  const times = (span: Hop['service']) => span && [span.startMs - start, span.endMs - start]
  expect(times(hop?.gateway)).toEqual([0, 100])
  expect(times(hop?.service)).toEqual([0, 90])
  expect(times(hop?.children[0]?.service)).toEqual([20, 60])
})

test('no records make no hops', () => {
  expect(buildHops([])).toEqual([])
})

test('the error of a service is named by its status, and without one it has none', () => {
  const outcomeOf = (status?: number) =>
    buildHops([
      serviceRecord({ part: 'a', requestId: 'r-1', at: 0, outcome: 'error', ...(status && { status }) }),
    ]).map(({ service }) => [service?.outcome, service?.status])
  expect(outcomeOf(404)).toEqual([['not_found', 404]])
  expect(outcomeOf(503)).toEqual([['unavailable', 503]])
  expect(outcomeOf(500)).toEqual([['error', 500]])
  expect(outcomeOf()).toEqual([['error', undefined]])
})

test('the record of a service joins the request of its own tenant', () => {
  const shared = { requestId: 'r-1', outcome: 'created' }
  const globex = { ...shared, tenant: 'globex', actor: 'carol' }
  const records = [
    gatewayRecord({ ...shared, part: 'gateway', at: 0, took: 40 }),
    gatewayRecord({ ...globex, part: 'gateway', at: 10, took: 40 }),
    serviceRecord({ ...shared, part: 'campaigns', at: 30 }),
  ]
  const [first, second] = buildHops(records)
  expect([first?.service?.part, second?.service?.part]).toEqual(['campaigns', undefined])
})

test('the outcome of a stream is the one of its last frame, which only the service knows', () => {
  const stream = (attributes: readonly [string, string][]) => {
    const gateway = gatewayRecord({
      part: 'gateway',
      requestId: 'r-1',
      at: 0,
      took: 90,
      outcome: 'untyped_2xx',
    })
    const streamed = { ...gateway, attributes: new Map([...gateway.attributes, ['streamed', 'true']]) }
    const service = serviceRecord({
      part: 'stories',
      requestId: 'r-1',
      at: 80,
      outcome: 'conflict',
      status: 409,
    })
    const told = { ...service, attributes: new Map([...service.attributes, ...attributes]) }
    return buildHops([streamed, told])[0] as Hop
  }
  expect(seenSpan(stream([['events', '3']]))).toMatchObject({ outcome: 'conflict', status: 409 })
  // A foreign stream, whose frames the service does not read either.
  expect(seenOutcome(stream([['end', 'complete']]))).toBe('streamed')
})
