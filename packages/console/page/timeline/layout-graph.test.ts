import { expect, test } from 'vitest'
import { buildHops } from './build-hops.ts'
import { agentGraph, gatewayRecord, serviceRecord } from './example-records.ts'
import { swallowedIn } from './find-swallowed.ts'
import { foldHops } from './fold-hops.ts'
import { layoutGraph, sizes } from './layout-graph.ts'

function graphOf(records: Parameters<typeof buildHops>[0]) {
  const hops = buildHops(records)
  return layoutGraph(foldHops(hops), swallowedIn(hops))
}

test('boxes stand from left to right in the order of the calls, without touching', () => {
  const { nodes, edges, width, height } = graphOf(agentGraph('success', 'created'))
  expect(nodes.map(({ kind, title }) => `${kind} ${title}`)).toEqual([
    'caller alice',
    'gateway gateway',
    'service recommendations',
    'gateway inventory-gateway',
    'service inventory',
  ])
  expect(edges.map(({ from, to, outcome }) => [from.title, to.title, outcome])).toEqual([
    ['alice', 'gateway', 'created'],
    ['gateway', 'recommendations', 'created'],
    ['recommendations', 'inventory-gateway', 'success'],
    ['inventory-gateway', 'inventory', 'success'],
  ])
  for (const [index, { x }] of nodes.entries()) {
    expect(x).toBeGreaterThan((nodes[index - 1]?.x ?? -sizes.width) + sizes.width)
    expect(x + sizes.width).toBeLessThanOrEqual(width)
  }
  expect(height).toBe(sizes.height + 2 * sizes.margin)
})

test('a swallowed outcome is marked at the line it was on and at the service that lost it', () => {
  const { nodes, edges } = graphOf(agentGraph('failed_dependency', 'created'))
  expect(edges.filter(({ isLost }) => isLost).map(({ to }) => to.title)).toEqual(['inventory-gateway'])
  expect(nodes.filter(({ lost }) => lost).map(({ title, lost }) => [title, lost])).toEqual([
    ['recommendations', 'failed_dependency'],
  ])
})

test('an approval by somebody else is a turn of its own', () => {
  const at = (index: number, actor: string) =>
    gatewayRecord({
      part: 'gateway',
      requestId: `r-${index}`,
      at: index * 50,
      took: 9,
      outcome: 'success',
      actor,
    })
  const { nodes } = graphOf([at(0, 'alice'), at(1, 'dave'), at(2, 'alice')])
  expect(nodes.filter(({ kind }) => kind === 'caller').map(({ title }) => title)).toEqual([
    'alice',
    'dave',
    'alice',
  ])
  expect(new Set(nodes.map(({ key }) => key)).size).toBe(nodes.length)
})

test('two calls of one service are two rows, with their service between them', () => {
  const inner = (index: number) =>
    gatewayRecord({
      part: 'b',
      requestId: `i-${index}`,
      at: 10 * index,
      took: 5,
      outcome: 'success',
      actor: 'a',
    })
  const { nodes } = graphOf([
    gatewayRecord({ part: 'gateway', requestId: 'r', at: 0, took: 90, outcome: 'created' }),
    serviceRecord({ part: 'a', requestId: 'r', at: 80, outcome: 'created' }),
    inner(1),
    inner(2),
  ])
  const y = (title: string) => nodes.filter((node) => node.title === title).map((node) => node.y)
  const [first = 0, second = 0] = y('b')
  expect(second - first).toBe(sizes.height + sizes.gapY)
  expect(y('a')).toEqual([(first + second) / 2])
})
