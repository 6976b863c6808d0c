import { expect, it } from 'vitest'
import { z } from 'zod'
import { inputFields } from './input/input-fields.ts'
import { type JsonSchema, jsonSchemaOf } from './input/json-schema.ts'
import { keepRequest } from './kept-request.ts'

function keep(jsonSchema: JsonSchema, collected: Readonly<Record<string, unknown>>) {
  const fields = inputFields({ schema: jsonSchema, locate: () => 'body' })
  const operation = { method: 'POST', path: '/x/{id}', fields, jsonSchema } as const
  return keepRequest({ operation, params: { id: '1' }, collected, publicPath: '/public' })
}

const bodyOf = (schema: JsonSchema, collected: Readonly<Record<string, unknown>>) =>
  keep(schema, collected).inputs['body']

const secret = () => z.string().meta({ secret: true })

it('hides every value marked as secret with zod, wherever the mark is', () => {
  const schema = z.object({
    plain: z.string(),
    optional: secret().optional(),
    outside: z.string().optional().meta({ secret: true }),
    byDefault: secret().default('x'),
    list: z.array(z.object({ key: secret(), name: z.string() })),
    pair: z.tuple([z.string(), secret()]),
    union: z.union([secret(), z.object({ inner: secret(), open: z.string() })]),
    byName: z.record(z.string(), secret()),
    changed: secret().transform((text) => text.length),
    shared: z.string().meta({ secret: true, id: 'SharedSecret' }),
    nullable: secret().nullable(),
    whole: z.object({ a: z.string() }).meta({ secret: true }),
    known: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a'), key: secret() }),
      z.object({ kind: z.literal('b'), name: z.string() }),
    ]),
  })
  const sent = {
    plain: 'plain',
    optional: 's',
    outside: 's',
    byDefault: 's',
    list: [{ key: 's', name: 'n' }],
    pair: ['p', 's'],
    union: { inner: 's', open: 'o' },
    byName: { a: 's' },
    changed: 's',
    shared: 's',
    nullable: 's',
    whole: { a: 's' },
    known: { kind: 'a', key: 's' },
    unknown: 'u',
  }
  expect(bodyOf(jsonSchemaOf(schema, undefined), sent)).toEqual({
    ...sent,
    ...Object.fromEntries(
      ['optional', 'outside', 'byDefault', 'changed', 'shared', 'nullable', 'whole', 'union'].map((name) => [
        name,
        '***',
      ]),
    ),
    list: [{ key: '***', name: 'n' }],
    pair: ['p', '***'],
    byName: { a: '***' },
    known: { kind: 'a', key: '***' },
  })
})

it('hides values of a schema that refers to itself', () => {
  const node = z.object({
    key: secret(),
    get children() {
      return z.array(node).optional()
    },
  })
  const sent = { root: { key: 's', children: [{ key: 's', children: [{ key: 's' }] }] } }
  expect(bodyOf(jsonSchemaOf(z.object({ root: node }), undefined), sent)).toEqual({
    root: { key: '***', children: [{ key: '***', children: [{ key: '***' }] }] },
  })
})

it('reads the mark from any JSON Schema, in the path as well', () => {
  const schema = { type: 'object', properties: { id: { type: 'string', secret: true }, a: { secret: 'no' } } }
  expect(keep(schema, { a: 'a' })).toEqual({
    method: 'POST',
    path: '/public/x/***',
    inputs: { path: { id: '***' }, body: { a: 'a' } },
  })
  expect(bodyOf({ ...schema, secret: true }, { a: 'a', b: 'b' })).toEqual({ a: '***', b: '***' })
})

it('leaves the largest values out above 64 KiB, and members without a schema if they are many', () => {
  const schema = { type: 'object' }
  const kept = keep(schema, { small: 's', large: 'x'.repeat(70_000), larger: 'x'.repeat(80_000) })
  expect(kept).toMatchObject({
    truncated: true,
    inputs: {
      body: { small: 's', large: '(70002 bytes are not shown)', larger: '(80002 bytes are not shown)' },
    },
  })
  const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`member-${index}`, index]))
  expect(keep(schema, many)).toEqual({
    method: 'POST',
    path: '/public/x/1',
    inputs: { path: { id: '1' } },
    truncated: true,
  })
  const known = { type: 'object', properties: { amount: { type: 'integer' } } }
  expect(keep(known, { ...many, amount: 500 })).toMatchObject({
    truncated: true,
    inputs: { path: { id: '1' }, body: { amount: 500 } },
  })
  expect(keep(schema, { list: Array(10_000).fill('abc') }).truncated).toBeUndefined()
})

it('hides a member by the pattern of its name, also if it has a schema of its own', () => {
  const schema = {
    type: 'object',
    properties: { apiKey: { type: 'string' } },
    patternProperties: { Key$: { secret: true } },
  }
  expect(bodyOf(schema, { apiKey: 's' })).toEqual({ apiKey: '***' })
})
