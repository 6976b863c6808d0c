import { expect, test } from 'vitest'
import { checkPathTemplate, parameterName, pathSegments, pathShape } from './path-template.ts'

test.each([
  '/',
  '/items',
  '/items/',
  '/items/{itemId}',
  '/campaigns/{id}/assets:generate',
  '/a-b_c.d~e/@x/(y)/1,2;3=4',
  '/caf%C3%A9',
  '/metrics/detail',
  '/{_anything9}',
  '/...',
])('%s is a path template', (path) => {
  expect(checkPathTemplate(path)).toBeUndefined()
})

test.each([
  ['/items/{a}', '/items/{b}'],
  ['/items/{a}/', '/items/{a}'],
  ['/%69tems', '/items'],
  ['/caf%c3%a9', '/caf%C3%A9'],
])('%s and %s match the same requests', (one, other) => {
  expect(pathShape(one)).toBe(pathShape(other))
})

test.each([
  ['/items/{a}', '/items/a'],
  ['/items', '/Items'],
  ['/items/{a}', '/items'],
  ['/%7Ba%7D', '/{a}'],
])('%s and %s do not match the same requests', (one, other) => {
  expect(pathShape(one)).not.toBe(pathShape(other))
})

test.each(['/%FF', '/caf%C3', '/a%0D%0Ab', '/a%7F'])(
  '%s is refused, because no request can ask for it',
  (path) => {
    expect(checkPathTemplate(path)).toBe('must percent-encode UTF-8 without control characters')
  },
)

test('segments and parameter names are taken from a template', () => {
  expect(pathSegments('/items/{itemId}/')).toEqual(['items', '{itemId}'])
  expect(pathSegments('/')).toEqual([])
  expect(['items', '{itemId}'].map(parameterName)).toEqual([undefined, 'itemId'])
})
