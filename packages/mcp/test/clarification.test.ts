import type { Outcome, RequiredInput } from '@agentic-rest/profile'
import { describe, expect, test } from 'vitest'
import { alice, bob, call, type Json, type ScriptedGateway, scriptedGateway } from './scripted-gateway.ts'

const goal: RequiredInput = {
  name: 'goal',
  location: 'body',
  type: 'string',
  required: true,
  question: 'What is the campaign to be optimized for?',
  allowedValues: ['ctr', 'conversions'],
}
const clarify = (...inputs: [RequiredInput, ...RequiredInput[]]): Outcome => ({
  type: 'clarification_required',
  message: 'More, please.',
  requiredInputs: inputs,
})
const given = { campaignId: 'c1' }
const capabilities = { elicitation: {} }

/** A gateway whose service asks for its inputs until the body has them all. */
const asking = (...inputs: [RequiredInput, ...RequiredInput[]]) =>
  scriptedGateway({
    answer: ({ body, path, headers }) => {
      const members = {
        ...JSON.parse(body ?? '{}'),
        ...headers,
        ...Object.fromEntries(new URLSearchParams(path.split('?')[1])),
      }
      const missing = inputs.filter(({ name }) => members[name] === undefined)
      const [first, ...rest] = missing
      return first === undefined
        ? { type: 'success', body: JSON.parse(body ?? '{}') }
        : clarify(first, ...rest)
    },
  })

const answerWith = (gateway: ScriptedGateway, requestState: string, content: Json, more: Json = {}) =>
  call(gateway, given, {
    capabilities,
    params: { requestState, inputResponses: { inputs: { action: 'accept', content } } },
    ...more,
  })

describe('a clarification on 2026-07-28', () => {
  test('is a form, and its answer completes the same request', async () => {
    const gateway = asking(goal)
    const first = await call(gateway, given, { capabilities })
    expect(first).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {
        resultType: 'input_required',
        inputRequests: {
          inputs: {
            method: 'elicitation/create',
            params: {
              mode: 'form',
              message: 'The operation needs more input: goal.',
              requestedSchema: {
                type: 'object',
                required: ['goal'],
                properties: {
                  goal: {
                    type: 'string',
                    title: 'goal',
                    description: 'What is the campaign to be optimized for?',
                    enum: ['ctr', 'conversions'],
                  },
                },
              },
            },
          },
        },
        requestState: expect.stringMatching(/^v1\./),
        _meta: expect.anything(),
      },
    })
    const { result } = await answerWith(gateway, first.result.requestState, { goal: 'ctr' })
    expect(result.structuredContent).toMatchObject({ goal: 'ctr' })
    const [one, two] = gateway.sent
    expect(two?.headers['Idempotency-Key']).toBe(one?.headers['Idempotency-Key'])
    expect(two?.headers['X-Correlation-ID']).toBe(one?.headers['X-Correlation-ID'])
    expect(two?.headers['X-Request-ID']).not.toBe(one?.headers['X-Request-ID'])
    expect([one?.facts.round, two?.facts.round]).toEqual([1, 2])
  })

  test('keeps the answers of earlier rounds, at every location', async () => {
    const region: RequiredInput = { ...goal, name: 'X-Region', location: 'header' }
    const dry: RequiredInput = { ...goal, name: 'dry', location: 'query', type: 'boolean' }
    const gateway = scriptedGateway({
      answer: ({ body, headers, path }) => {
        if (!body?.includes('goal')) return clarify(goal)
        if (headers['X-Region'] === undefined) return clarify(region)
        return path.includes('dry=true') ? { type: 'success', body: {} } : clarify(dry)
      },
    })
    const contents = [{ goal: 'ctr' }, { 'X-Region': 'eu' }, { dry: true }]
    let { result } = await call(gateway, given, { capabilities })
    for (const content of contents) ({ result } = await answerWith(gateway, result.requestState, content))
    expect(result.resultType).toBe('complete')
    expect(gateway.sent.at(-1)).toMatchObject({
      path: '/campaigns/c1/optimizations?dry=true',
      body: '{"goal":"ctr"}',
    })
  })

  test('turns chosen integers back and ignores what the form does not have', async () => {
    const gateway = asking({ ...goal, name: 'budget', type: 'integer', allowedValues: [100, 200] })
    const { result } = await call(gateway, given, { capabilities })
    expect(result.inputRequests.inputs.params.requestedSchema.properties.budget).toMatchObject({
      type: 'string',
      enum: ['100', '200'],
    })
    await answerWith(gateway, result.requestState, { budget: '200', other: 1 })
    expect(gateway.sent[1]?.body).toBe('{"budget":200}')
  })

  test('asks for a missing path parameter without a request', async () => {
    const gateway = asking(goal)
    const { result } = await call(gateway, {}, { capabilities })
    expect(gateway.sent).toEqual([])
    expect(result.inputRequests.inputs.params).toMatchObject({
      message: 'The operation needs more input: campaignId.',
      requestedSchema: { properties: { campaignId: { type: 'string', description: 'Which campaignId?' } } },
    })
    await call(
      gateway,
      {},
      {
        capabilities,
        params: {
          requestState: result.requestState,
          inputResponses: { inputs: { action: 'accept', content: { campaignId: 'c9' } } },
        },
      },
    )
    expect(gateway.sent[0]?.path).toBe('/campaigns/c9/optimizations')
  })

  test.each([
    ['decline', 'declined'],
    ['cancel', 'cancelled'],
  ])('ends with %s, with the body of the clarification', async (action, answered) => {
    const gateway = asking(goal)
    const { result: first } = await call(gateway, given, { capabilities })
    const params = { requestState: first.requestState, inputResponses: { inputs: { action } } }
    const { result } = await call(gateway, given, { capabilities, params })
    expect(result).toMatchObject({ isError: true, structuredContent: { type: 'clarification_required' } })
    expect(result._meta['org.agentic-rest/outcome']).toMatchObject({
      type: 'clarification_required',
      status: 400,
      answered,
    })
    expect(gateway.sent).toHaveLength(1)
  })

  test.each([{}, { other: { action: 'accept' } }, { inputs: 12 }, { inputs: { action: 'accept' } }])(
    'asks again for the responses %j',
    async (inputResponses) => {
      const gateway = asking(goal)
      const { result: first } = await call(gateway, given, { capabilities })
      const { result } = await call(gateway, given, {
        capabilities,
        params: { requestState: first.requestState, inputResponses },
      })
      expect(result.inputRequests).toEqual(first.inputRequests)
      expect(gateway.sent).toHaveLength(1)
    },
  )

  test('is an error after five rounds', async () => {
    const gateway = scriptedGateway({ answer: () => clarify(goal) })
    let { result } = await call(gateway, given, { capabilities })
    for (let round = 2; round < 5; round += 1) {
      expect(result.resultType).toBe('input_required')
      ;({ result } = await answerWith(gateway, result.requestState, { goal: 'ctr' }))
    }
    ;({ result } = await answerWith(gateway, result.requestState, { goal: 'ctr' }))
    expect(result).toMatchObject({ resultType: 'complete', isError: true })
    expect(gateway.sent).toHaveLength(5)
  })

  test.each<[string, RequiredInput]>([
    ['an object', { ...goal, type: 'object' }],
    ['a free list', { name: 'a', location: 'body', type: 'array', required: true, question: '?' }],
    ['a password', { ...goal, name: 'userPassword' }],
    ['a key', { ...goal, name: 'API-Key' }],
    ['a header of the caller', { ...goal, name: 'X-Tenant-ID', location: 'header' }],
  ])('is an error for %s, which no form may ask for', async (_what, input) => {
    const { result } = await call(scriptedGateway({ answer: () => clarify(input) }), given, { capabilities })
    expect(result).toMatchObject({ isError: true, structuredContent: { type: 'clarification_required' } })
  })

  test('is an error for clients without forms', async () => {
    for (const declared of [{}, { elicitation: { url: {} } }]) {
      const { result } = await call(asking(goal), given, { capabilities: declared })
      expect(result).toMatchObject({
        isError: true,
        structuredContent: { requiredInputs: [{ name: 'goal' }] },
      })
    }
  })

  test('is an error if its state is larger than 16 KiB', async () => {
    const question = 'x'.repeat(17_000)
    const { result } = await call(asking({ ...goal, question }), given, { capabilities })
    expect(result).toMatchObject({ resultType: 'complete', isError: true })
  })
})

describe('a requestState', () => {
  const invalid = { code: -32602, message: 'Invalid requestState' }
  const content = { goal: 'ctr' }

  test('is refused when it is changed, foreign or too long', async () => {
    const gateway = asking(goal)
    const { result } = await call(gateway, given, { capabilities })
    const changed = `${result.requestState.slice(0, -1)}${result.requestState.endsWith('A') ? 'B' : 'A'}`
    for (const state of [changed, '', 'v1', 'x'.repeat(17 * 1024)]) {
      expect((await answerWith(gateway, state, content)).error).toEqual(invalid)
    }
    expect(gateway.sent).toHaveLength(1)
  })

  test('is refused after the change of a bit anywhere', async () => {
    const gateway = asking(goal)
    const { result } = await call(gateway, given, { capabilities })
    const { requestState } = result
    for (let index = 0; index < requestState.length; index += 1) {
      const bit = 1 << (index % 7)
      const other = String.fromCharCode(requestState.charCodeAt(index) ^ bit)
      const changed = requestState.slice(0, index) + other + requestState.slice(index + 1)
      expect((await answerWith(gateway, changed, content)).error).toEqual(invalid)
    }
    expect(gateway.sent).toHaveLength(1)
  })

  test('is refused for another subject, tenant, arguments or time', async () => {
    const gateway = asking(goal)
    const { result } = await call(gateway, given, { capabilities })
    const { requestState } = result
    expect((await answerWith(gateway, requestState, content, { caller: bob })).error).toEqual(invalid)
    const tenant = { ...alice, tenant: 'globex' }
    expect((await answerWith(gateway, requestState, content, { caller: tenant })).error).toEqual(invalid)
    const params = { requestState, inputResponses: {} }
    expect((await call(gateway, { campaignId: 'c2' }, { capabilities, params })).error).toEqual(invalid)
    await gateway.clock.advance(600_000)
    expect((await answerWith(gateway, requestState, content)).error).toEqual(invalid)
    expect(gateway.sent).toHaveLength(1)
  })

  test('is refused for another tool', async () => {
    const gateway = asking(goal)
    const { result } = await call(gateway, given, { capabilities })
    const other = scriptedGateway({
      answer: () => clarify(goal),
      clock: gateway.clock,
      mcp: { name: 'other' },
    })
    const params = { name: 'other', requestState: result.requestState, inputResponses: {} }
    expect((await call(other, given, { capabilities, params })).error).toEqual(invalid)
  })

  test('opens on another gateway with the same secrets, also the older of two', async () => {
    const one = asking(goal)
    const { result } = await call(one, given, { capabilities })
    const secrets = ['another secret of thirty-two bytes!!', 'a secret of at least thirty-two bytes']
    const two = scriptedGateway({ answer: () => ({ type: 'success', body: {} }), clock: one.clock, secrets })
    const answer = await answerWith(two, result.requestState, content)
    expect(answer.result.resultType).toBe('complete')
  })

  test('has one key however often the last round is sent', async () => {
    const gateway = asking(goal)
    const { result } = await call(gateway, given, { capabilities })
    for (let count = 0; count < 100; count += 1) await answerWith(gateway, result.requestState, content)
    expect(new Set(gateway.sent.map(({ headers }) => headers['Idempotency-Key'])).size).toBe(1)
  })
})
