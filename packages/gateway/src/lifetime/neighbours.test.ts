import { describe, expect, test } from 'vitest'
import { makeRoute } from '../../test/plugins/make-exchange.ts'
import { createNeighbourCheck } from './neighbours.ts'

/** Checks a request for the first route: `GET /a/{b}`. */
function isNeighbour(templates: readonly string[], path: string): boolean {
  const routes = templates.map((id) => {
    const [method = '', template = ''] = id.split(' ')
    return makeRoute({ id, method: method as 'GET', path: template })
  })
  const [first] = routes
  if (first === undefined) throw new Error('a route is needed')
  return createNeighbourCheck(routes)(first, path)
}

const items = ['GET /items/{id}', 'GET /items/export', 'GET /items/r%C3%A9sum%C3%A9', 'GET /items/a:b']

describe('a value of another spelling', () => {
  test.each([
    '/items/EXPORT',
    '/items/Export',
    '/items/export;x',
    '/items/export;',
    '/items/EXPORT;v=1;w=2',
    '/items/export%3Bx',
    '/items/R%C3%89SUM%C3%89',
    '/items/a%3Ab',
    '/items/A:B',
  ])('%s is a neighbour', (path) => {
    expect(isNeighbour(items, path)).toBe(true)
  })

  test('of letters that only full case folding joins is a neighbour', () => {
    expect(isNeighbour(['GET /{x}', 'GET /tasks'], '/ta%C5%BF%E2%84%AA%C5%BF')).toBe(true)
  })

  test.each(['/items/1', '/items/exports', '/items/expor', '/items/;export', '/items/x;export', '/items/ab'])(
    '%s is none',
    (path) => {
      expect(isNeighbour(items, path)).toBe(false)
    },
  )
})

describe('neighbours', () => {
  test.each([
    // Of another method, length or place.
    [['GET /items/{id}', 'POST /items/export'], '/items/EXPORT', false],
    [['GET /items/{id}', 'GET /export'], '/items/EXPORT', false],
    [['GET /items/{id}', 'GET /orders/export'], '/items/EXPORT', false],
    [['GET /items/{id}', 'GET /items/{id}/export'], '/items/EXPORT', false],
    // At any place of the path.
    [['GET /{tenant}/items', 'GET /admin/items'], '/ADMIN/items', true],
    [['GET /a/{x}/b/{y}', 'GET /a/{x}/b/log'], '/a/1/b/LOG', true],
    [['GET /a/{x}/{y}', 'GET /a/{x}/log', 'GET /a/new/{y}'], '/a/NEW/1', true],
    // A literal that leads nowhere gives way, in its own spelling.
    [['GET /c/{id}/log', 'GET /c/active'], '/c/active/log', false],
    [['GET /c/{id}/log', 'GET /c/active'], '/c/ACTIVE/log', true],
    [['GET /a/{x}/d', 'GET /a/b/c'], '/a/b/d', false],
    [['GET /{y}/b/e', 'GET /a/b/c', 'GET /a/{x}/d'], '/a/b/e', false],
    // The first literal is spelled like the neighbour, the second is not.
    [['GET /c/{id}/{x}', 'GET /c/active/log'], '/c/active/LOG', true],
    [['GET /c/{id}/{x}', 'GET /c/active/log'], '/c/active/other', false],
    // A route whose literal wins over the parameter of the other in every spelling.
    [['GET /a/{x}/e', 'GET /{y}/b/e'], '/a/b/e', false],
    [['GET /a/{x}/e', 'GET /{y}/b/e'], '/a/B/e', false],
    // Routes that differ only in spelling.
    [['GET /a/{x}', 'GET /A/{x}'], '/a/1', false],
    [['GET /a/{x}', 'GET /A/{x}', 'GET /A/log'], '/a/log', true],
    [['GET /a;1/{x}', 'GET /a;2/{x}', 'GET /a;2/log'], '/a;1/2', false],
  ] as const)('of %j, %s: %s', (templates, path, expected) => {
    expect(isNeighbour(templates, path)).toBe(expected)
  })
})
