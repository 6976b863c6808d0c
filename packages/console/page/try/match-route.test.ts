import { expect, test } from 'vitest'
import { anyRoute } from './draft.ts'
import { matchRoute } from './match-route.ts'

const routes = [
  ['GET', '/items/{id}'],
  ['GET', '/items/new'],
  ['POST', '/items'],
  ['GET', '/{shop}/items/{id}'],
].map(([method = '', path = '']) => ({ ...anyRoute({ method, path }), id: `${method} ${path}` }))
const matched = (method: string, path: string) => {
  const match = matchRoute(routes, method, path)
  return match.type === 'route' ? [match.route.id, Object.fromEntries(match.params)] : match
}

test('the route of a method and path is found with its values', () => {
  expect(matched('GET', '/items/a%20b')).toEqual(['GET /items/{id}', { id: 'a b' }])
  expect(matched('HEAD', '/items/1/')).toEqual(['GET /items/{id}', { id: '1' }])
  expect(matched('GET', '/x/items/2')).toEqual(['GET /{shop}/items/{id}', { shop: 'x', id: '2' }])
})

test('a literal segment beats a parameter', () => {
  expect(matched('GET', '/items/new')).toEqual(['GET /items/new', {}])
})

test('a path without a route, or without this method, is said to be one', () => {
  expect(matched('GET', '/nothing')).toEqual({ type: 'none' })
  expect(matched('GET', '/items/')).toEqual({ type: 'method', methods: ['POST'] })
  expect(matched('DELETE', '/items/1')).toEqual({ type: 'method', methods: ['GET'] })
  expect(matched('GET', '/Items/1')).toEqual({ type: 'none' })
})
