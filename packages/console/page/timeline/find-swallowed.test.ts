import { outcomeTypes } from '@agentic-rest/profile'
import { describe, expect, test } from 'vitest'
import { agentGraph, gatewayRecord, serviceRecord } from './example-records.ts'
import { findSwallowed } from './find-swallowed.ts'

const found = (records: Parameters<typeof findSwallowed>[0]) =>
  findSwallowed(records).map(({ from, to }) => `${from} became ${to}`)

describe('an outcome that is swallowed is found', () => {
  test.each([
    ['failed_dependency', 'success'],
    ['failed_dependency', 'created'],
    ['failed_dependency', 'accepted'],
    ['failed_dependency', 'error'],
    ['failed_dependency', 'forbidden'],
    ['approval_required', 'created'],
    ['approval_required', 'success'],
    ['approval_required', 'error'],
    ['clarification_required', 'error'],
    ['clarification_required', 'success'],
    ['clarification_required', 'untyped_5xx'],
    ['approval_required', 'untyped_5xx'],
    ['approval_required', 'unavailable'],
    ['approval_required', 'untyped_2xx'],
  ])('%s that became %s', (inner, outer) => {
    expect(found(agentGraph(inner, outer))).toEqual([`${inner} became ${outer}`])
  })
})

describe('an outcome that reaches the caller is not', () => {
  test.each([
    ['failed_dependency', 'failed_dependency'],
    ['approval_required', 'approval_required'],
    ['clarification_required', 'clarification_required'],
    // A question for an input that the outer operation does not have.
    ['clarification_required', 'failed_dependency'],
    ['approval_required', 'forbidden'],
    ['approval_required', 'not_found'],
    ['failed_dependency', 'client_disconnect'],
  ])('%s that became %s', (inner, outer) => {
    expect(found(agentGraph(inner, outer))).toEqual([])
  })

  test.each(outcomeTypes)('a success before %s', (outer) => {
    expect(found(agentGraph('success', outer))).toEqual([])
  })
})

const inner = { part: 'b', actor: 'a' } as const
const outerRecords = (outcome: string) => [
  gatewayRecord({ part: 'gateway', requestId: 'r-0', at: 0, took: 100, outcome }),
  serviceRecord({ part: 'a', requestId: 'r-0', at: 95, outcome }),
]

test('a call that was made again counts by its last answer', () => {
  const again = [
    gatewayRecord({ ...inner, requestId: 'r-1', at: 10, took: 5, outcome: 'failed_dependency' }),
    gatewayRecord({ ...inner, requestId: 'r-2', at: 30, took: 5, outcome: 'success' }),
  ]
  expect(found([...outerRecords('created'), ...again])).toEqual([])
  expect(found([...outerRecords('created'), ...again.slice(0, 1)])).toHaveLength(1)
})

test('calls about different things are each counted', () => {
  const calls = [
    gatewayRecord({
      ...inner,
      requestId: 'r-1',
      at: 10,
      took: 5,
      outcome: 'failed_dependency',
      resource: 'x',
    }),
    gatewayRecord({ ...inner, requestId: 'r-2', at: 30, took: 5, outcome: 'success', resource: 'y' }),
  ]
  expect(found([...outerRecords('created'), ...calls])).toEqual(['failed_dependency became created'])
})

test('of several that ask, one is passed on', () => {
  const calls = [
    gatewayRecord({
      ...inner,
      requestId: 'r-1',
      at: 10,
      took: 5,
      outcome: 'failed_dependency',
      resource: 'x',
    }),
    gatewayRecord({
      ...inner,
      requestId: 'r-2',
      at: 30,
      took: 5,
      outcome: 'approval_required',
      resource: 'y',
    }),
  ]
  expect(found([...outerRecords('approval_required'), ...calls])).toEqual([])
})

test('what the gateway made of an answer is not laid at the door of the service', () => {
  const records = agentGraph('failed_dependency', 'failed_dependency').map((record) =>
    record.part === 'gateway' ? { ...record, attributes: new Map([['outcome_label', 'error']]) } : record,
  )
  expect(found(records)).toEqual([])
})

test('rounds of one caller swallow nothing of each other', () => {
  const rounds = ['clarification_required', 'approval_required', 'created'].map((outcome, index) =>
    gatewayRecord({ part: 'gateway', requestId: `r-${index}`, at: index * 50, took: 20, outcome }),
  )
  expect(found(rounds)).toEqual([])
})
