import { expect, test } from 'vitest'
import { asOpenApi } from './openapi.ts'
import { wholeSchema } from './whole-schema.ts'

const schemas = {
  Code: { type: 'string', pattern: '^a', maxLength: 9 },
  Loop: { type: 'object', allOf: [{ $ref: '#/components/schemas/Loop' }] },
}
const api = asOpenApi({ openapi: '3.1.0', paths: { '/a': {} }, components: { schemas } })
const whole = (schema: object) => wholeSchema(schema, api ?? { follow: () => ({}) })
const code = { $ref: '#/components/schemas/Code' }

test.each([
  ['one part', { allOf: [code], description: 'x' }, { ...schemas.Code, description: 'x' }],
  [
    'patterns of all parts',
    { allOf: [code, { pattern: '^a' }, { pattern: 'z$' }] },
    { ...schemas.Code, allOf: [{ pattern: 'z$' }] },
  ],
  [
    'the tighter bounds',
    { type: 'string', minLength: 1, maxLength: 20, allOf: [code, { minLength: 3 }] },
    { type: 'string', minLength: 3, maxLength: 9, pattern: '^a' },
  ],
  ['common words', { enum: ['a', 'b'], allOf: [{ enum: ['b', 'c'] }] }, { enum: ['b'] }],
  [
    'all members',
    {
      allOf: [
        { type: 'object', properties: { a: code }, required: ['a'] },
        { properties: { b: code }, required: ['b'] },
      ],
    },
    { type: 'object', properties: { a: code, b: code }, required: ['a', 'b'] },
  ],
  ['a part that contains itself once', { $ref: '#/components/schemas/Loop' }, { type: 'object' }],
])('a schema with allOf has %s', (_, given, expected) => {
  expect(whole(given)).toEqual(expected)
})
