import { startService } from '@agentic-rest/testing/start-service'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { defineOperation, success } from '../src/index.ts'
import { ask, expectAnswer, expectInvalid, expectQuestion } from './harness/ask.ts'

async function serveSchema<Schema extends z.ZodType<object>>(input: Schema): Promise<string> {
  const operation = defineOperation({
    id: 'op',
    method: 'POST',
    path: '/op',
    input,
    run: () => success({ done: true }),
  })
  return `${(await startService({ operations: [operation] })).url}/op`
}

function question(name: string, type: string, more: object = {}) {
  return { name, location: 'body', type, required: true, question: `What is the ${name}?`, ...more }
}

it.each<[string, z.ZodType, object]>([
  ['string', z.string(), question('it', 'string')],
  ['integer', z.int(), question('it', 'integer')],
  ['number, asked for as a string', z.number(), question('it', 'string')],
  ['boolean', z.boolean(), question('it', 'boolean')],
  ['array', z.array(z.string()), question('it', 'array')],
  ['object', z.object({ a: z.string() }), question('it', 'object')],
  ['nullable', z.int().nullable(), question('it', 'integer')],
  ['string or number', z.union([z.number(), z.string()]), question('it', 'string')],
  ['anything', z.any().refine((value) => value !== undefined), question('it', 'string')],
  ['enum', z.enum(['a', 'b']), question('it', 'string', { allowedValues: ['a', 'b'] })],
  ['one literal', z.literal('a'), question('it', 'string', { allowedValues: ['a'] })],
  ['several literals', z.literal(['a', 'b']), question('it', 'string', { allowedValues: ['a', 'b'] })],
  [
    'union of literals',
    z.union([z.literal(1), z.literal(2)]),
    question('it', 'integer', { allowedValues: [1, 2] }),
  ],
  ['numbers to choose from', z.literal([0.5, 1.5]), question('it', 'string', { allowedValues: [0.5, 1.5] })],
  ['nullable enum', z.enum(['a', 'b']).nullable(), question('it', 'string', { allowedValues: ['a', 'b'] })],
  [
    'union of enums',
    z.union([z.enum(['a', 'b']), z.enum(['b', 'c'])]),
    question('it', 'string', { allowedValues: ['a', 'b', 'c'] }),
  ],
  ['open union', z.union([z.literal('a'), z.string()]), question('it', 'string')],
  ['list of an enum, which is no choice of one', z.array(z.enum(['a'])), question('it', 'array')],
])('a missing %s is asked for as it is', async (_title, it, expected) => {
  expectQuestion(await ask(await serveSchema(z.object({ it })), { json: {} }), [expected as { name: string }])
})

it.each([
  ['campaignId', 'What is the campaign id?'],
  ['max_price', 'What is the max price?'],
  ['customer-name', 'What is the customer name?'],
])('a field called %s without a description is asked for by its name', async (name, text) => {
  const answer = await ask(await serveSchema(z.object({ [name]: z.string() })), { json: {} })
  expect(JSON.parse(answer.text).requiredInputs[0].question).toBe(text)
})

it('a definition that is shared is followed', async () => {
  const goal = z.enum(['ctr', 'reach']).meta({ id: 'Goal', description: 'Which goal?' })
  const answer = await ask(await serveSchema(z.object({ first: goal, second: goal })), {
    json: { first: 'ctr' },
  })
  expectQuestion(answer, [
    question('second', 'string', { question: 'Which goal?', allowedValues: ['ctr', 'reach'] }),
  ])
})

it('an optional input is never asked for', async () => {
  const url = await serveSchema(z.object({ a: z.string().optional(), b: z.string().default('x') }))
  expectAnswer(await ask(url, { json: {} }), 200, { done: true })
})

it('null where a value has to be is wrong and not missing', async () => {
  const url = await serveSchema(z.object({ goal: z.string() }))
  expectInvalid(await ask(url, { json: { goal: null } }), [
    { field: 'goal', message: 'Invalid input: expected string, received null' },
  ])
})

it('what is missing inside an input that was sent makes that input wrong', async () => {
  const url = await serveSchema(z.object({ range: z.object({ from: z.string(), to: z.string() }) }))
  expectInvalid(await ask(url, { json: { range: { from: 'a' } } }), [
    { field: 'range.to', message: 'Invalid input: expected string, received undefined' },
  ])
})

it('an input that is needed only beside another is asked for', async () => {
  const input = z
    .object({ kind: z.enum(['card', 'cash']), cardNumber: z.string().describe('Which card?').optional() })
    .refine(({ kind, cardNumber }) => kind === 'cash' || cardNumber !== undefined, { path: ['cardNumber'] })
  const url = await serveSchema(input)
  expectAnswer(await ask(url, { json: { kind: 'cash' } }), 200, { done: true })
  expectQuestion(await ask(url, { json: { kind: 'card' } }), [
    question('cardNumber', 'string', { question: 'Which card?' }),
  ])
})

it('of alternatives, what all of them need and what the chosen one needs is asked for', async () => {
  const input = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('mail'), address: z.string(), text: z.string() }),
    z.object({ kind: z.literal('call'), phone: z.string(), text: z.string() }),
  ])
  const url = await serveSchema(input)
  expectQuestion(await ask(url, { json: {} }), [
    question('kind', 'string', { allowedValues: ['mail', 'call'] }),
    question('text', 'string'),
  ])
  expectQuestion(await ask(url, { json: { kind: 'call' } }), [
    question('text', 'string'),
    question('phone', 'string'),
  ])
})

it('of alternatives without a name, missing inputs are asked for before nothing fits', async () => {
  const url = await serveSchema(
    z.union([z.object({ a: z.string(), text: z.string() }), z.object({ b: z.string(), text: z.string() })]),
  )
  expectQuestion(await ask(url, { json: { a: 'x' } }), [question('text', 'string')])
  expectInvalid(await ask(url, { json: { text: 'x' } }), [{ field: 'body', message: 'Invalid input' }])
})

it('members that the schema does not know are its own to refuse', async () => {
  expectInvalid(await ask(await serveSchema(z.strictObject({ a: z.string() })), { json: { a: 'x', b: 1 } }), [
    { field: 'body', message: 'Unrecognized key: "b"' },
  ])
})

it('a list of very many faults is cut, so that it reaches the caller through a gateway', async () => {
  const url = await serveSchema(z.object({ list: z.array(z.string()) }))
  const answer = await ask(url, { json: { list: Array.from({ length: 50_000 }, () => 1) } })
  expect(answer.status).toBe(422)
  expect(JSON.parse(answer.text).errors).toHaveLength(100)
})

it('a schema that decides later is waited for', async () => {
  const input = z.object({ name: z.string().refine(async (name) => name !== 'taken', 'This name is taken.') })
  const url = await serveSchema(input)
  expectInvalid(await ask(url, { json: { name: 'taken' } }), [
    { field: 'name', message: 'This name is taken.' },
  ])
  expectAnswer(await ask(url, { json: { name: 'free' } }), 200, { done: true })
})
