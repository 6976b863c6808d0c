import { startService } from '@agentic-rest/testing/start-service'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { created, defineOperation, type Operation } from '../src/index.ts'
import { ask, expectAnswer, expectInvalid, expectQuestion, trace } from './harness/ask.ts'

const definition = {
  id: 'create-optimization',
  method: 'POST',
  path: '/campaigns/{campaignId}/optimizations',
} as const

const byZod = defineOperation({
  ...definition,
  input: z.object({
    campaignId: z.string(),
    goal: z.enum(['ctr', 'reach']).describe('Which goal do you want?'),
    budget: z.number().min(1),
    days: z.int().default(7),
    dryRun: z.boolean().optional(),
  }),
  run: ({ input, params }) => {
    // The types come from the schema: this would not compile otherwise.
    const days: number = input.days
    const campaignId: string = params.campaignId
    return created({ ...input, days, campaignId })
  },
})

const byArkType = defineOperation({
  ...definition,
  input: type({
    campaignId: 'string',
    goal: type("'ctr' | 'reach'").describe('Which goal do you want?'),
    budget: 'number >= 1',
    days: 'number.integer = 7',
    'dryRun?': 'boolean',
  }),
  run: ({ input }) => created({ ...input }),
})

const byValibot = defineOperation({
  ...definition,
  input: toStandardJsonSchema(
    v.object({
      campaignId: v.string(),
      goal: v.pipe(v.picklist(['ctr', 'reach']), v.description('Which goal do you want?')),
      budget: v.pipe(v.number(), v.minValue(1)),
      days: v.optional(v.pipe(v.number(), v.integer()), 7),
      dryRun: v.optional(v.boolean()),
    }),
  ),
  run: ({ input }) => created({ ...input }),
})

describe.each<[string, Operation, { goal: string; budget: string }]>([
  [
    'zod',
    byZod,
    {
      goal: 'Invalid option: expected one of "ctr"|"reach"',
      budget: 'Too small: expected number to be >=1',
    },
  ],
  [
    'arktype',
    byArkType,
    {
      goal: 'goal must be Which goal do you want? (was "sales")',
      budget: 'budget must be at least 1 (was 0)',
    },
  ],
  [
    'valibot',
    byValibot,
    {
      goal: 'Invalid type: Expected ("ctr" | "reach") but received "sales"',
      budget: 'Invalid value: Expected >=1 but received 0',
    },
  ],
])('with a schema of %s', (_vendor, operation, messages) => {
  const start = () => startService({ operations: [operation] })
  const path = '/campaigns/cmp-1/optimizations'

  it('an empty body is asked for everything that is required, with all that the schema knows', async () => {
    const { url } = await start()
    const answer = await ask(url + path, { json: {} })
    const questions = JSON.parse(answer.text).requiredInputs as { name: string; allowedValues?: string[] }[]
    // arktype does not keep the order of members and values.
    const sorted = questions
      .map((one) => (one.allowedValues ? { ...one, allowedValues: one.allowedValues.toSorted() } : one))
      .toSorted((left, right) => (left.name < right.name ? 1 : -1))
    expect(sorted).toEqual([
      {
        name: 'goal',
        location: 'body',
        type: 'string',
        required: true,
        question: 'Which goal do you want?',
        allowedValues: ['ctr', 'reach'],
      },
      { name: 'budget', location: 'body', type: 'string', required: true, question: 'What is the budget?' },
    ])
    expectQuestion(answer, questions)
  })

  it('what is given is not asked for again, and an absent body is an empty one', async () => {
    const { url } = await start()
    const budget = {
      name: 'budget',
      location: 'body',
      type: 'string',
      required: true,
      question: 'What is the budget?',
    }
    expectQuestion(await ask(url + path, { json: { goal: 'ctr' } }), [budget])
    const nothing = await ask(url + path, { method: 'POST' })
    expect(nothing.status).toBe(400)
    expect(JSON.parse(nothing.text).requiredInputs).toHaveLength(2)
  })

  it('what is wrong is named field by field', async () => {
    const { url } = await start()
    const answer = await ask(url + path, { json: { goal: 'sales', budget: 0 } })
    const errors = JSON.parse(answer.text).errors as { field: string; message: string }[]
    expect(errors.toSorted((left, right) => (left.field < right.field ? 1 : -1))).toEqual([
      { field: 'goal', message: messages.goal },
      { field: 'budget', message: messages.budget },
    ])
    expectInvalid(answer, errors)
  })

  it('what is wrong comes before what is missing, and only it is named', async () => {
    const { url } = await start()
    const answer = await ask(url + path, { json: { goal: 'sales' } })
    expectInvalid(answer, [{ field: 'goal', message: messages.goal }])
  })

  it('good inputs reach the operation, defaults filled in and a numeric string taken for a number', async () => {
    const { url } = await start()
    const body = { campaignId: 'cmp-1', goal: 'ctr', budget: 12.5, days: 7 }
    expectAnswer(await ask(url + path, { json: { goal: 'ctr', budget: 12.5 } }), 201, body)
    expectAnswer(await ask(url + path, { json: { goal: 'ctr', budget: '12.5' } }), 201, body)
  })

  it('the path decides over a body that says otherwise', async () => {
    const { url } = await start()
    const answer = await ask(url + path, { json: { campaignId: 'other', goal: 'ctr', budget: 1 } })
    expectAnswer(answer, 201, { campaignId: 'cmp-1', goal: 'ctr', budget: 1, days: 7 })
  })
})

describe('a schema without a JSON Schema of its own', () => {
  const plain = v.object({ goal: v.string() })

  it('is refused when the operation is defined, with the way out', () => {
    expect(() => defineOperation({ ...definition, input: plain, run: () => created({}) })).toThrow(
      'operation create-optimization: a valibot schema has no JSON Schema of its own; give one as inputJsonSchema',
    )
  })

  it('is served with one that is given', async () => {
    const operation = defineOperation({
      ...definition,
      input: plain,
      inputJsonSchema: { type: 'object', properties: { goal: { type: 'string' } }, required: ['goal'] },
      run: ({ input }) => created({ goal: input.goal }),
    })
    const { url } = await startService({ operations: [operation] })
    expectQuestion(await ask(`${url}/campaigns/1/optimizations`, { json: {} }), [
      { name: 'goal', location: 'body', type: 'string', required: true, question: 'What is the goal?' },
    ] as never)
    expectAnswer(await ask(`${url}/campaigns/1/optimizations`, { json: { goal: 'x' } }), 201, { goal: 'x' })
    expect(trace.requestId).toBe('req-1')
  })

  it('is refused with its reason when it cannot be written as one', () => {
    const input = z.object({ at: z.date() })
    expect(() => defineOperation({ ...definition, input, run: () => created({}) })).toThrow(
      'operation create-optimization: the zod schema cannot be written as JSON Schema; give one as inputJsonSchema',
    )
  })
})
