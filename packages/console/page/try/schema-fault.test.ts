import { expect, test } from 'vitest'
import { fieldsOf } from '../api/read-json.ts'
import { shop } from './example-document.ts'
import { schemaFault } from './schema-fault.ts'

const document = fieldsOf(shop)
const line = { $ref: '#/components/schemas/Line' }
const faultOf = (schema: unknown, value: unknown) => schemaFault(document, schema, value)

test('a value that fits has no fault', () => {
  const parts = [{ name: 'a', parts: { name: 'b' } }]
  expect(faultOf(line, { sku: 'apple', price: 1.5, size: 2, gift: null, parts, note: ['a'] })).toBeUndefined()
  expect(faultOf({}, 7)).toBeUndefined()
  expect(faultOf(true, 'x')).toBeUndefined()
  expect(faultOf({ type: 'number' }, 3)).toBeUndefined()
})

test.each([
  [{ type: 'integer' }, 1.5, 'This has to be a whole number.'],
  [{ type: ['string', 'null'] }, 7, 'This has to be a text.'],
  [{ enum: ['a', 2] }, 'b', 'This has to be "a" or 2.'],
  [{ anyOf: [{ const: 'a' }, { enum: ['b'] }, { type: 'null' }] }, 1, 'This has to be "a" or "b".'],
  [{ type: 'integer', minimum: 1, maximum: 3 }, 0, 'This has to be at least 1.'],
  [{ type: 'integer', minimum: 1, maximum: 3 }, 4, 'This has to be at most 3.'],
  [{ exclusiveMinimum: 0 }, 0, 'This has to be more than 0.'],
  [{ exclusiveMaximum: 5 }, 5, 'This has to be less than 5.'],
  [{ minLength: 1 }, '', 'This needs at least 1 character.'],
  [{ maxLength: 1 }, '🍏🍏', 'This may have at most 1 character.'],
  [{ pattern: '^a' }, 'b', 'This has to fit ^a'],
  [{ minItems: 2 }, [1], 'This needs at least 2 entries.'],
  [{ maxItems: 0 }, [1], 'This may have at most 0 entries.'],
  [{ anyOf: [{ type: 'string' }, { type: 'array' }] }, 7, 'This has to be a text.'],
  [line, { price: 1 }, 'This needs "sku".'],
  [line, { sku: 'a', price: 0 }, 'price has to be more than 0.'],
  [line, { sku: 'a', price: 1, parts: [{ name: '' }] }, 'parts[0].name needs at least 1 character.'],
  [line, { sku: 'a', price: 1, parts: [{ name: 'a', x: 1 }] }, 'parts[0] may not have "x".'],
])('%j does not take %j', (schema, value, message) => {
  expect(faultOf(schema, value)).toBe(message)
})

test('a pattern or variants that would freeze the page are left to the service', () => {
  // Not one of them fits, and the service would say so. The text is short, so that a try ends too.
  for (const pattern of ['^(a+)+$', '^(a|a)*$', '^a*a*a*a*a*$', '^(?:a{1,50}){1,50}$'])
    expect(faultOf({ pattern }, `${'a'.repeat(15)}!`)).toBeUndefined()
  let reads = 0
  const nested = (depth: number): object => {
    const variants = depth === 0 ? [] : Array(6).fill(nested(depth - 1))
    const read = () => {
      reads += 1
      return depth === 0 ? [{ type: 'integer' }] : variants
    }
    return Object.defineProperty({}, 'anyOf', { enumerable: true, get: read })
  }
  faultOf(nested(7), 'a')
  // Without a budget they are read 6 ** 7 times, which is 279,936.
  expect(reads).toBeGreaterThan(0)
  expect(reads).toBeLessThan(10_000)
})

test('a pattern that cannot be read, or a very long text, is left to the service', () => {
  expect(faultOf({ pattern: '(' }, 'x')).toBeUndefined()
  expect(faultOf({ pattern: '^(a+)+$' }, `${'a'.repeat(2000)}b`)).toBeUndefined()
})
