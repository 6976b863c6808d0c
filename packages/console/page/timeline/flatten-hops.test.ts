import { expect, test } from 'vitest'
import { buildHops } from './build-hops.ts'
import { agentGraph, approvalRecord, finishedRecord, gatewayRecord } from './example-records.ts'
import { extentOf, flattenHops, laterName, waterfallRows } from './flatten-hops.ts'

test('bars follow each other from caller to callee, each with a key of its own', () => {
  const bars = flattenHops(buildHops(agentGraph('success', 'created')))
  expect(bars.map(({ span, depth, role }) => [depth, role, span.part])).toEqual([
    [0, 'gateway', 'gateway'],
    [1, 'service', 'recommendations'],
    [2, 'gateway', 'inventory-gateway'],
    [3, 'service', 'inventory'],
  ])
  expect(new Set(bars.map(({ key }) => key)).size).toBe(bars.length)
})

test('the extent is that of everything', () => {
  const { startMs, endMs } = extentOf(buildHops(agentGraph('success', 'created')))
  expect(endMs - startMs).toBe(100)
})

const poll = (index: number) =>
  gatewayRecord({ part: 'gateway', requestId: `r-${index}`, at: index * 100, took: 5, outcome: 'success' })

test('folded hops are one row, which opens to theirs', () => {
  const hops = buildHops([poll(0), poll(1), poll(2)])
  const rows = waterfallRows(hops, new Set())
  expect(rows.map(({ type, depth }) => [type, depth])).toEqual([['fold', 0]])
  const opened = waterfallRows(hops, new Set(rows.map(({ key }) => key)))
  expect(opened.map(({ type, depth }) => [type, depth])).toEqual([
    ['fold', 0],
    ['bar', 1],
    ['bar', 1],
    ['bar', 1],
  ])
  expect(new Set(opened.map(({ key }) => key)).size).toBe(4)
})

test('work in the background has a bar of its own, also without an end', () => {
  const accepted = gatewayRecord({ part: 'gateway', requestId: 'r-1', at: 0, took: 10, outcome: 'accepted' })
  const end = finishedRecord({ part: 'campaigns', requestId: 'r-1', at: 100, outcome: 'created' })
  const roles = (records: Parameters<typeof buildHops>[0]) =>
    flattenHops(buildHops(records)).map(({ role, span }) => [role, span.endMs - span.startMs])
  expect(roles([accepted])).toEqual([
    ['gateway', 10],
    ['running', 0],
  ])
  expect(roles([accepted, end])).toEqual([
    ['gateway', 10],
    ['later', 90],
  ])
})

test('records of an approval are called what they are, and not work in the background', () => {
  const end = finishedRecord({ part: 'campaigns', requestId: 'r-1', at: 100, outcome: 'created' })
  const records = [
    approvalRecord('requested'),
    approvalRecord('decided', 'approved'),
    approvalRecord('decided', 'rejected'),
    approvalRecord('decided'),
    approvalRecord('used'),
    approvalRecord('expired'),
    approvalRecord('withdrawn'),
    approvalRecord('unheard_of'),
    end,
  ]
  const bars = flattenHops(buildHops(records)).filter(({ role }) => role === 'later')
  expect(bars.map(({ span }) => laterName(span)).toSorted()).toEqual(
    [
      'approval asked for',
      'approval given',
      'approval rejected',
      'approval decided',
      'approval used',
      'approval expired',
      'approval withdrawn',
      'agentic.approval.unheard_of',
      'in the background',
    ].toSorted(),
  )
})
