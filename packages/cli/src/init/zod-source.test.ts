import { membersOf } from '@agentic-rest/profile'
import { expect, test } from 'vitest'
import { memberSource } from './zod-source.ts'

const place = { api: { find: () => undefined, follow: membersOf }, note: () => undefined }
const optional = (schema: unknown) => memberSource(schema, { required: false }, place)

test.each([
  [{ type: 'string', minLength: 1, maxLength: 9 }, 'z.string().min(1).max(9)'],
  [{ type: 'string', pattern: '^a/b\\d$' }, 'z.string().regex(/^a\\/b\\d$/u)'],
  // Valid only without Unicode semantics.
  [{ type: 'string', pattern: '^\\-$' }, 'z.string().regex(/^\\-$/)'],
  [{ type: 'string', pattern: '(' }, 'z.string()'],
  [{ type: 'string', allOf: [{ pattern: '^a' }, { pattern: 'b$' }] }, 'z.string().regex(/^a/u).regex(/b$/u)'],
  [{ nullable: true, allOf: [{ type: 'integer' }, { minimum: 2 }] }, 'z.int().min(2).nullable()'],
  [{ type: 'integer', minimum: 1, maximum: 5 }, 'z.int().min(1).max(5)'],
  [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }, 'z.number().gt(0).lt(1)'],
  [
    { type: 'number', minimum: 0, exclusiveMinimum: true, multipleOf: 0.5 },
    'z.number().gt(0).multipleOf(0.5)',
  ],
  [{ type: 'integer', minimum: 0, exclusiveMinimum: false }, 'z.int().min(0)'],
  [{ type: 'array', items: { type: 'boolean' }, minItems: 1 }, 'z.array(z.boolean()).min(1)'],
  [{ enum: ['a', "it's"] }, "z.enum(['a', \"it's\"])"],
  [{ enum: [1, 'a', null], nullable: true }, "z.literal([1, 'a']).nullable()"],
  [{ type: 'object' }, 'z.record(z.string(), z.unknown())'],
  [{ oneOf: [] }, 'z.unknown()'],
])('%j is %s', (schema, source) => {
  expect(memberSource(schema, { required: true }, place)).toBe(source)
})

test.each([
  [{ type: 'string', default: 'a' }, "z.string().default('a')"],
  [{ type: 'string', default: 7 }, 'z.string().optional()'],
  [{ type: 'integer', default: 1.5 }, 'z.int().optional()'],
  [{ type: 'boolean', default: false }, 'z.boolean().default(false)'],
  [{ enum: ['a', 'b'], default: 'b' }, "z.enum(['a', 'b']).default('b')"],
  [{ enum: ['a', 'b'], default: 'c' }, "z.enum(['a', 'b']).optional()"],
  [{ type: ['string', 'null'], default: null }, 'z.string().nullable().default(null)'],
  [{ type: 'string', default: null }, 'z.string().optional()'],
  [{ type: 'array', items: { type: 'string' }, default: ['a'] }, 'z.array(z.string()).default(["a"])'],
  [{ type: 'array', items: { type: 'string' }, default: [1] }, 'z.array(z.string()).optional()'],
  [{ type: 'object', default: {} }, 'z.record(z.string(), z.unknown()).default({})'],
  [
    { type: 'object', properties: { a: { type: 'integer', default: 1 } }, default: {} },
    'z.object({ a: z.int().default(1) }).optional()',
  ],
])('an optional %j is %s', (schema, source) => {
  expect(optional(schema)).toBe(source)
})

test('a required input is asked for although its schema has a default', () => {
  const source = memberSource({ type: 'string', default: 'a' }, { required: true, question: 'Which?' }, place)
  expect(source).toBe("z.string().describe('Which?')")
})

test.each([
  [{ type: 'string', format: 'email', 'x-own': 1, description: 'a' }, 'format is left out'],
  [
    { type: 'array', items: { oneOf: [] }, uniqueItems: true },
    'uniqueItems is left out',
    '[]: oneOf is left out',
  ],
  [{ type: 'string', pattern: '(' }, 'the pattern (, which does not compile, is left out'],
  [{ type: 'integer', default: 'a' }, 'a default that does not fit is left out'],
  [{ type: 'object', additionalProperties: { type: 'string' } }, 'additionalProperties is left out'],
  [{ type: 'object', additionalProperties: {}, properties: { a: { anyOf: [] } } }, 'a: anyOf is left out'],
  [
    { type: 'object', properties: Object.fromEntries(Array.from({ length: 41 }, (_, at) => [`m${at}`, {}])) },
    'every member after the first 40 is left out',
  ],
  [{ enum: ['a'], format: 'word' }],
  [{ enum: [{}] }, 'an enum of objects or lists is left out'],
])('%j has notes: %s', (schema, ...expected) => {
  const notes: string[] = []
  memberSource(schema, { required: false }, { ...place, note: (text) => notes.push(text) })
  expect(notes).toEqual(expected)
})
