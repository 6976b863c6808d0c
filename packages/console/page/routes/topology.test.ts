import { adminBodies } from '@agentic-rest/profile/admin'
import { expect, test } from 'vitest'
import { agentGraph } from '../timeline/example-records.ts'
import { buildTopology } from './topology.ts'

const list = adminBodies.Routes.read({
  routes: [
    { id: 'op-gateway', method: 'POST', path: '/products/{id}', target: 'http://127.0.0.1:8082/base' },
    { id: 'other', method: 'GET', path: '/other', target: 'http://127.0.0.1:8081' },
  ],
  plugins: [{ name: 'token-validator' }, { name: 'upstream' }],
  services: [
    { origin: 'http://127.0.0.1:8082', routes: ['op-gateway'] },
    { origin: 'http://127.0.0.1:8081', routes: ['other'] },
  ],
})

test('without records services are their addresses', () => {
  const { parts, lines } = buildTopology(list, [])
  expect(parts.map(({ kind, title, subtitle }) => [kind, title, subtitle])).toEqual([
    ['callers', 'Callers', 'people, apps, agents'],
    ['gateway', 'Gateway', '2 routes · 2 steps'],
    ['service', '127.0.0.1:8082', '1 route'],
    ['service', '127.0.0.1:8081', '1 route'],
  ])
  expect(lines).toEqual([
    ['callers', 'gateway'],
    ['gateway', 'service http://127.0.0.1:8082'],
    ['gateway', 'service http://127.0.0.1:8081'],
  ])
})

test('records give services their names, and show the agents behind them', () => {
  const { parts, lines, columns } = buildTopology(list, [agentGraph('success', 'created')])
  expect(parts.slice(2).map(({ title, column, row }) => [title, column, row])).toEqual([
    ['recommendations', 2, 0],
    ['inventory-gateway', 3, 0],
    ['inventory', 4, 0],
    ['127.0.0.1:8081', 2, 1],
  ])
  expect(lines).toContainEqual(['service http://127.0.0.1:8082', 'agent inventory-gateway'])
  expect(lines).toContainEqual(['agent inventory-gateway', 'agent inventory'])
  expect(columns).toBe(5)
})

test('agents that call each other end', () => {
  const there = agentGraph('success', 'created')
  const names = new Map([
    ['recommendations', 'inventory'],
    ['inventory', 'recommendations'],
  ])
  const back = there.map((record) => ({ ...record, part: names.get(record.part) ?? record.part }))
  const { parts } = buildTopology(list, [there, back])
  expect(parts.length).toBeLessThan(10)
})
