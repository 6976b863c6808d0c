import { expect, test } from 'vitest'
import { startLlm, trace } from './harness/start-llm.ts'

const text = async (response: Response) =>
  ((await response.json()) as { choices: { text: string }[] }).choices[0]?.text

test('a request gets a completion of max_tokens words, with its usage and trace', async () => {
  const { post } = await startLlm()
  const response = await post({ model: 'any', prompt: 'Two words', max_tokens: 3 })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
  expect(await response.json()).toEqual({
    id: expect.stringMatching(/^cmpl-[\da-f-]{36}$/),
    object: 'text_completion',
    created: expect.any(Number),
    model: 'any',
    choices: [{ index: 0, text: ' Each device reaches', logprobs: null, finish_reason: 'length' }],
    usage: { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 },
    trace,
  })
})

test('the text follows from the prompt alone, and 16 words are usual', async () => {
  const { post } = await startLlm()
  const first = await text(await post({ prompt: 'a' }))
  expect(first?.trim().split(' ')).toHaveLength(16)
  expect(await text(await post({ prompt: 'a' }))).toBe(first)
  expect(await text(await post({ prompt: ['a'] }))).toBe(first)
  expect(await text(await post({ prompt: 'b' }))).not.toBe(first)
  expect((await text(await post({ prompt: 'a', max_tokens: 700 })))?.trim().split(' ')).toHaveLength(700)
})

test('a stop text ends the text before it', async () => {
  const { post } = await startLlm()
  const response = await post({ prompt: 'Two words', max_tokens: 50, stop: ['nowhere', ' reaches'] })
  expect(await response.json()).toMatchObject({
    choices: [{ text: ' Each device', finish_reason: 'stop' }],
    usage: { completion_tokens: 2 },
  })
})

test('a request without a prompt is asked for it', async () => {
  const { post, records } = await startLlm()
  const response = await post({ max_tokens: 3 })
  expect([response.status, response.headers.get('content-type')]).toEqual([
    400,
    'application/vnd.agentic.clarification+json',
  ])
  expect(await response.json()).toEqual({
    type: 'clarification_required',
    code: 'CLARIFICATION_REQUIRED',
    message: expect.any(String),
    requiredInputs: [
      {
        name: 'prompt',
        location: 'body',
        type: 'string',
        required: true,
        question: 'What shall the text continue?',
      },
    ],
    trace,
  })
  expect(records).toMatchObject([{ outcome: 'clarification_required', correlation_id: 'correlation-1' }])
})

test.each([
  ['max_tokens', { prompt: 'a', max_tokens: 0 }],
  ['max_tokens', { prompt: 'a', max_tokens: 5000 }],
  ['max_tokens', { prompt: 'a', max_tokens: 1.5 }],
  ['n', { prompt: 'a', n: 2 }],
  ['prompt', { prompt: ['a', 'b'] }],
  ['stream', { prompt: 'a', stream: 'yes' }],
  ['stop', { prompt: 'a', stop: ['1', '2', '3', '4', '5'] }],
])('a wrong %s is named, also where a stream is wanted', async (field, body) => {
  const { post } = await startLlm()
  for (const accept of ['application/json', 'text/event-stream']) {
    const response = await post(body, { headers: { accept } })
    expect([response.status, response.headers.get('content-type')]).toEqual([
      422,
      'application/vnd.agentic.validation-error+json',
    ])
    expect(await response.json()).toMatchObject({
      type: 'validation_failed',
      code: 'VALIDATION_FAILED',
      errors: [{ field: expect.stringMatching(`^${field}`) }],
      trace,
    })
  }
})

test('a body that is no JSON is refused', async () => {
  const { post } = await startLlm()
  const response = await post(undefined, { body: '{"prompt":' })
  expect(response.status).toBe(422)
})
