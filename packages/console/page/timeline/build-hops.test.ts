import { expect, test } from 'vitest'
import { buildHops, givenOutcome, type Hop, seenOutcome } from './build-hops.ts'
import { agentGraph, finishedRecord, gatewayRecord, serviceRecord } from './example-records.ts'
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

test('a thousand requests, each caused by the one before, are joined in a moment', () => {
  const records = Array.from({ length: 1000 }, (_, index) =>
    gatewayRecord({
      part: 'gateway',
      requestId: `r-${index}`,
      actor: `a-${index}`,
      at: index * 10,
      took: 20_000 - index * 20,
      outcome: 'success',
    }),
  )
  const bars = flattenHops(buildHops(records))
  const time = () => {
    const before = performance.now()
    flattenHops(buildHops(records))
    return performance.now() - before
  }
  // Other processes can only make it longer.
  expect(Math.min(time(), time(), time())).toBeLessThan(1000)
  expect(bars.map(({ depth }) => depth)).toEqual(records.map((_, index) => index))
})
