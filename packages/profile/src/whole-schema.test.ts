import { expect, test } from 'vitest'
import { atFragment } from './references.ts'
import { wholeSchema } from './whole-schema.ts'

const schemas = {
  Code: { type: 'string', pattern: '^a', maxLength: 9 },
  Short: { $ref: '#/components/schemas/Code', maxLength: 5, description: 'short' },
  Circle: { $ref: '#/components/schemas/Circle', title: 'C' },
  Loop: { type: 'object', allOf: [{ $ref: '#/components/schemas/Loop' }] },
}
const find = (reference: string) => atFragment({ components: { schemas } }, reference.slice(1))
const whole = (schema: unknown) => wholeSchema(schema, { find })
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
  [
    'the keywords beside a reference',
    { ...code, maxLength: 5, title: 'A' },
    { ...schemas.Code, maxLength: 5, title: 'A' },
  ],
  [
    'the keywords beside a reference behind a reference',
    { $ref: '#/components/schemas/Short', title: 'A' },
    { ...schemas.Code, maxLength: 5, description: 'short', title: 'A' },
  ],
  ['a reference to itself once', { $ref: '#/components/schemas/Circle' }, { title: 'C' }],
  ['nothing of a broken reference', { $ref: '#/gone', title: 'A' }, { title: 'A' }],
  ['nothing of what is no schema', true, {}],
  ['a part that contains itself once', { $ref: '#/components/schemas/Loop' }, { type: 'object' }],
])('a schema with allOf has %s', (_, given, expected) => {
  expect(whole(given)).toEqual(expected)
})

test('a schema of very many parts is read in part', () => {
  const parts = Array.from({ length: 1000 }, (_, index) => ({ properties: { [`p${index}`]: {} } }))
  expect(Object.keys(Object(whole({ allOf: parts })['properties']))).toHaveLength(511)
})
