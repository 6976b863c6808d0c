import { expect, test } from 'vitest'
import { type CpuProfile, drawFlameGraph, readFrames, shares } from '../bench/flame-graph.ts'

const frame = (functionName: string, url: string) => ({ functionName, url, lineNumber: 1 })
const profile: CpuProfile = {
  nodes: [
    { id: 1, callFrame: frame('(root)', ''), children: [2, 5, 6] },
    { id: 2, callFrame: frame('handle', 'file:///packages/gateway/src/gateway.ts'), children: [3, 4] },
    { id: 3, callFrame: frame('dispatch', 'file:///node_modules/find-my-way/index.js') },
    { id: 4, callFrame: frame('<b>', 'node:net') },
    { id: 5, callFrame: frame('(idle)', '') },
    { id: 6, callFrame: frame('load', 'node:internal/modules/esm/loader') },
  ],
  samples: [2, 3, 3, 4, 5, 6],
  timeDeltas: [100, 200, 300, 400, 5000, 6000],
}

test('time is added up along the calls; waiting and the loading of modules are left out', () => {
  const root = readFrames(profile)
  expect(root.total).toBe(1000)
  expect([...root.children.values()].map(({ name, total }) => [name, total])).toEqual([['handle', 1000]])
  expect(shares(root)).toEqual({ gateway: 100, node: 400, library: 500, native: 0 })
})

test('the picture names each function as text, as wide as its time', () => {
  const picture = drawFlameGraph(readFrames(profile))
  expect(picture).toContain('<title>handle: 1.0 ms</title><rect x="0.0" y="17" width="1199.5"')
  expect(picture).toContain('<title>&lt;b&gt;: 0.4 ms</title>')
  expect(picture).not.toContain('<b>')
})
