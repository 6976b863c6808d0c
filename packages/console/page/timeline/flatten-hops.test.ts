import { expect, test } from 'vitest'
import { buildHops } from './build-hops.ts'
import { agentGraph, gatewayRecord } from './example-records.ts'
import { extentOf, flattenHops, foldRepeats } from './flatten-hops.ts'

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

const poll = (index: number, outcome = 'success') =>
  gatewayRecord({ part: 'gateway', requestId: `r-${index}`, at: index * 100, took: 5, outcome })

test('a run of three or more alike is folded to its last', () => {
  const hops = buildHops([poll(0), poll(1), poll(2), poll(3, 'error'), poll(4), poll(5)])
  expect(foldRepeats(hops).map(({ hop, count }) => [hop.requestId, count])).toEqual([
    ['r-2', 3],
    ['r-3', 1],
    ['r-4', 1],
    ['r-5', 1],
  ])
})
