import { expect, test } from 'vitest'
import { fieldsOf } from '../api/read-json.ts'
import { shop } from './example-document.ts'
import { resolveSchema, shapeOf } from './schema-shape.ts'
import { findOperation } from './service-operation.ts'

const route = { method: 'POST', path: '/orders/{orderId}/lines', target: 'http://shop.test' }

test('the operation of a route is found, also behind the path of the server or of the target', () => {
  expect(findOperation(shop, route)?.summary).toBe('Adds a line.')
  expect(findOperation(shop, { ...route, path: '/shop/orders/{x}/lines/' })?.summary).toBe('Adds a line.')
  expect(findOperation(shop, { ...route, target: 'http://shop.test/shop' })?.summary).toBe('Adds a line.')
  expect(findOperation(shop, { ...route, method: 'GET' })).toBeUndefined()
  expect(findOperation(shop, { ...route, path: '/orders/{orderId}' })).toBeUndefined()
  for (const rubbish of [
    undefined,
    null,
    'text',
    [],
    { paths: 7 },
    { paths: { '/orders/{id}/lines': null } },
  ])
    expect(findOperation(rubbish, route)).toBeUndefined()
})

test('an operation that streams says so', () => {
  expect(findOperation(shop, route)?.streams).toBe(false)
  const post = { 'x-agentic': { stream: true } }
  expect(findOperation({ paths: { '/orders/{id}/lines': { post } } }, route)?.streams).toBe(true)
})

test('its inputs have location, type and allowed values; headers of the form are left out', () => {
  const fields = findOperation(shop, route)?.fields ?? []
  expect(fields.map(({ name, location, kind, isRequired }) => [name, location, kind, isRequired])).toEqual([
    ['orderId', 'path', 'text', true],
    ['limit', 'query', 'integer', false],
    ['tag', 'query', 'lines', false],
    ['X-Region', 'header', 'choice', true],
    ['price', 'body', 'number', true],
    ['sku', 'body', 'text', true],
    ['size', 'body', 'choice', false],
    ['gift', 'body', 'boolean', false],
    ['parts', 'body', 'json', false],
    ['note', 'body', 'text', false],
  ])
  const byName = new Map(fields.map((field) => [field.name, field]))
  expect(byName.get('orderId')).toMatchObject({ description: 'Which order?', examples: ['o-1'] })
  expect(byName.get('limit')).toMatchObject({ fallback: 10, typeWords: 'whole number' })
  expect(byName.get('size')?.choices).toEqual([1, 2, 3])
  expect(byName.get('note')).toMatchObject({ isLong: true, typeWords: 'text or list' })
})

test('a reference in a circle ends', () => {
  const document = fieldsOf(shop)
  const circle = resolveSchema(document, { $ref: '#/components/schemas/Circle' })
  expect(shapeOf(document, circle).kind).toBe('text')
  expect(resolveSchema(document, { $ref: 'https://elsewhere.test/x' }).size).toBe(0)
})

test('schemas in a circle and with very many parts are read within a budget', () => {
  let reads = 0
  const partOf = (name: string) =>
    Object.defineProperty({}, '$ref', {
      enumerable: true,
      get() {
        reads += 1
        return `#/components/schemas/${name}`
      },
    })
  const many = (keyword: string, name: string) => ({ [keyword]: Array(50).fill(partOf(name)) })
  const schemas = { All: many('allOf', 'All'), Any: many('anyOf', 'Any'), One: many('oneOf', 'All') }
  const document = fieldsOf({ components: { schemas } })
  for (const name of Object.keys(schemas)) {
    reads = 0
    const schema = resolveSchema(document, { $ref: `#/components/schemas/${name}` })
    expect(shapeOf(document, schema)).toMatchObject({ kind: 'json', choices: [] })
    // One reading has a budget of 500 parts; three levels without one would be 125,000.
    expect(reads).toBeGreaterThan(0)
    expect(reads).toBeLessThan(10_000)
  }
})
