import { expect, expectTypeOf, test } from 'vitest'
import {
  about,
  amount,
  closedObject,
  flag,
  listOf,
  mapOf,
  named,
  object,
  oneOf,
  orNull,
  type Read,
  text,
  type Written,
  whole,
} from './typed-schema.ts'

const inner = object({ name: text })
const example = closedObject(
  {
    name: about('The name.', text),
    state: oneOf('up', 'down'),
    size: whole,
    share: orNull(amount),
    inner,
    other: orNull(named('Inner', inner)),
    counts: mapOf(whole),
    tags: listOf(text),
    isOpen: flag,
    note: text,
    extra: inner,
  },
  ['note', 'extra'],
)

test('the schema has every member, and requires all but the optional ones', () => {
  expect(example.schema).toEqual({
    type: 'object',
    properties: {
      name: { type: 'string', description: 'The name.' },
      state: { type: 'string', enum: ['up', 'down'] },
      size: { type: 'integer', minimum: 0 },
      share: { anyOf: [{ type: 'number', minimum: 0 }, { type: 'null' }] },
      inner: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      other: { anyOf: [{ $ref: '#/components/schemas/Inner' }, { type: 'null' }] },
      counts: { type: 'object', additionalProperties: { type: 'integer', minimum: 0 } },
      tags: { type: 'array', items: { type: 'string' } },
      isOpen: { type: 'boolean' },
      note: { type: 'string' },
      extra: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    },
    required: ['name', 'state', 'size', 'share', 'inner', 'other', 'counts', 'tags', 'isOpen'],
    additionalProperties: false,
  })
})

test('nothing is read as empty members, and nothing throws', () => {
  const empty = {
    name: '',
    state: '',
    size: 0,
    share: null,
    inner: { name: '' },
    other: null,
    counts: new Map(),
    tags: [],
    isOpen: false,
    note: '',
    extra: null,
  }
  for (const value of [
    undefined,
    null,
    1,
    'x',
    [],
    {},
    Object.fromEntries(Object.keys(empty).map((n) => [n, Symbol(n)])),
  ])
    expect(example.read(value)).toEqual(empty)
})

test('an object without its members is null where it may be null or absent', () => {
  expect(example.read({ other: {}, extra: { name: 1 } })).toMatchObject({ other: null, extra: null })
})

test('a value is read with its known members', () => {
  const value = {
    name: 'a',
    state: 'sideways',
    size: 2,
    share: 0.5,
    inner: { name: 'b', secret: 1 },
    other: { name: 'c' },
    counts: { toString: 3 },
    tags: ['x', 1],
    isOpen: true,
    extra: { name: 'd' },
    unknown: 1,
  }
  expect(example.read(value)).toEqual({
    name: 'a',
    state: 'sideways',
    size: 2,
    share: 0.5,
    inner: { name: 'b' },
    other: { name: 'c' },
    counts: new Map([['toString', 3]]),
    tags: ['x', ''],
    isOpen: true,
    note: '',
    extra: { name: 'd' },
  })
})

test('the types of writers and readers differ where a reader must expect more', () => {
  expectTypeOf<Written<typeof example>['state']>().toEqualTypeOf<'up' | 'down'>()
  expectTypeOf<Read<typeof example>['state']>().toEqualTypeOf<string>()
  expectTypeOf<Written<typeof example>['extra']>().toEqualTypeOf<{ readonly name: string } | undefined>()
  expectTypeOf<Read<typeof example>['extra']>().toEqualTypeOf<{ readonly name: string } | null>()
  expectTypeOf<Read<typeof example>['share']>().toEqualTypeOf<number | null>()
})
