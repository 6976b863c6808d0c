import { startService } from '@agentic-rest/testing/start-service'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineOperation, success } from '../src/index.ts'
import { ask, expectAnswer, expectInvalid, expectQuestion } from './harness/ask.ts'

const search = defineOperation({
  id: 'search',
  method: 'GET',
  path: '/shops/{shopId}/products',
  input: z.object({
    shopId: z.int(),
    text: z.string().optional(),
    limit: z.int().optional(),
    ratio: z.number().optional(),
    exact: z.boolean().optional(),
    tags: z.array(z.string()).optional(),
    sizes: z.array(z.int()).optional(),
    filter: z.object({ colour: z.string() }).optional(),
    'X-Region': z.string().optional(),
    'X-Weights': z.array(z.number()).optional(),
    either: z.union([z.string(), z.number()]).optional(),
    level: z.union([z.literal(1), z.literal(2)]).optional(),
  }),
  locations: { 'X-Region': 'header', 'X-Weights': 'header' },
  run: ({ input, params }) => success({ input, params }),
})

async function searchWith(query: string, headers: Record<string, string> = {}) {
  const { url } = await startService({ operations: [search] })
  return ask(`${url}/shops/7/products${query}`, { headers })
}

describe('text from path, query and headers becomes what the schema says', () => {
  it.each<[string, Record<string, string>, object]>([
    ['', {}, {}],
    ['?text=7', {}, { text: '7' }],
    ['?limit=10&limit2=1', {}, { limit: 10 }],
    ['?limit=-1', {}, { limit: -1 }],
    ['?ratio=0.5', {}, { ratio: 0.5 }],
    ['?ratio=1e3', {}, { ratio: 1000 }],
    ['?exact=true', {}, { exact: true }],
    ['?exact=false', {}, { exact: false }],
    ['?tags=a', {}, { tags: ['a'] }],
    ['?tags=a&tags=b,c', {}, { tags: ['a', 'b,c'] }],
    ['?sizes=1&sizes=2', {}, { sizes: [1, 2] }],
    ['?filter=%7B%22colour%22%3A%22red%22%7D', {}, { filter: { colour: 'red' } }],
    ['?either=5', {}, { either: '5' }],
    ['?level=2', {}, { level: 2 }],
    ['?text=a%20b%26c', {}, { text: 'a b&c' }],
    ['', { 'x-region': 'eu' }, { 'X-Region': 'eu' }],
    ['', { 'x-region': '' }, {}],
    ['', { 'x-weights': '1.5, 2' }, { 'X-Weights': [1.5, 2] }],
    ['?shopId=9', {}, {}],
  ])('%s %j', async (query, headers, input) => {
    expectAnswer(await searchWith(query, headers), 200, {
      input: { shopId: 7, ...input },
      params: { shopId: '7' },
    })
  })

  it.each([
    ['?limit=ten', 'limit', 'Invalid input: expected number, received string'],
    ['?limit=', 'limit', 'Invalid input: expected number, received string'],
    ['?limit=1.5', 'limit', 'Invalid input: expected number, received string'],
    ['?limit=0x10', 'limit', 'Invalid input: expected number, received string'],
    ['?limit=99999999999999999', 'limit', 'Invalid input: expected number, received string'],
    ['?limit=1&limit=2', 'limit', 'Invalid input: expected number, received array'],
    ['?ratio=Infinity', 'ratio', 'Invalid input: expected number, received string'],
    ['?ratio=1e999', 'ratio', 'Invalid input: expected number, received string'],
    ['?exact=yes', 'exact', 'Invalid input: expected boolean, received string'],
    ['?sizes=1&sizes=x', 'sizes.1', 'Invalid input: expected number, received string'],
    ['?filter=red', 'filter', 'Invalid input: expected object, received string'],
    ['?filter={"n":1e999}', 'filter', 'Invalid input: expected object, received string'],
    ['?text=a&text=b', 'text', 'Invalid input: expected string, received array'],
  ])('%s is refused at %s', async (query, field, message) => {
    expectInvalid(await searchWith(query), [{ field, message }])
  })
})

it('an input is taken from its own place only', async () => {
  const operation = defineOperation({
    id: 'price',
    method: 'POST',
    path: '/prices',
    input: z.object({ currency: z.string(), region: z.string(), amount: z.number() }),
    locations: { currency: 'query', region: 'header' },
    run: ({ input }) => success(input),
  })
  const { url } = await startService({ operations: [operation] })
  const everywhere = { currency: 'EUR', region: 'eu', amount: 1 }
  expectQuestion(await ask(`${url}/prices?amount=1`, { json: everywhere }), [
    {
      name: 'currency',
      location: 'query',
      type: 'string',
      required: true,
      question: 'What is the currency?',
    },
    { name: 'region', location: 'header', type: 'string', required: true, question: 'What is the region?' },
  ] as never)
  expectAnswer(
    await ask(`${url}/prices?currency=EUR`, { json: { amount: 1 }, headers: { region: 'eu' } }),
    200,
    everywhere,
  )
})

it('a body of DELETE is read when an input is placed there', async () => {
  const operation = defineOperation({
    id: 'remove',
    method: 'DELETE',
    path: '/things/{thingId}',
    input: z.object({ thingId: z.string(), force: z.boolean(), reason: z.string() }),
    locations: { reason: 'body' },
    run: ({ input }) => success(input),
  })
  const { url } = await startService({ operations: [operation] })
  const answer = await ask(`${url}/things/t?force=true`, {
    method: 'DELETE',
    json: { reason: 'old', force: false },
  })
  expectAnswer(answer, 200, { thingId: 't', force: true, reason: 'old' })
})

it('an operation without inputs gets none, whatever is sent', async () => {
  const operation = defineOperation({
    id: 'ping',
    method: 'POST',
    path: '/ping',
    run: ({ input }) => success({ input: input === undefined ? 'none' : 'some' }),
  })
  const { url } = await startService({ operations: [operation] })
  expectAnswer(await ask(`${url}/ping?a=1`, { json: { b: 2 } }), 200, { input: 'none' })
})

it('a member called __proto__ stays a member and changes nothing', async () => {
  const operation = defineOperation({
    id: 'open',
    method: 'POST',
    path: '/open',
    input: z.looseObject({ name: z.string() }),
    run: ({ input }) => success({ admin: 'admin' in input, keys: Object.keys(input) }),
  })
  const { url } = await startService({ operations: [operation] })
  const body = '{"__proto__":{"admin":true},"name":"n","constructor":{"prototype":{"admin":true}}}'
  const answer = await ask(`${url}/open`, { body, headers: { 'content-type': 'application/json' } })
  expect(answer.status).toBe(200)
  expect(JSON.parse(answer.text).admin).toBe(false)
  expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false)
})

it('an object in a query is not nested deeper than a body', async () => {
  const operation = defineOperation({
    id: 'find',
    method: 'GET',
    path: '/find',
    input: z.object({ filter: z.looseObject({}) }),
    run: ({ input }) => success({ filter: input.filter }),
  })
  const { url } = await startService({ operations: [operation] })
  const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
  const find = (depth: number) => ask(`${url}/find?filter=${encodeURIComponent(nested(depth))}`)
  expect((await find(64)).status).toBe(200)
  for (const depth of [65, 1000]) {
    const answer = await find(depth)
    expect([answer.status, JSON.parse(answer.text).errors[0].field]).toEqual([422, 'filter'])
  }
})
