import { expect, test } from 'vitest'
import { askedTokens } from './asked-tokens.ts'
import { MOST_TOKENS } from './usage.ts'

const asked = (value: unknown) => askedTokens(Buffer.from(JSON.stringify(value)))

test('the input is a quarter of the bytes of all texts, and one token for each number of a list', async () => {
  expect((await asked({ model: 'gpt', messages: [{ role: 'user', content: 'ä' }] })).input).toBe(3)
  expect((await asked({ prompt: [1, 2, 3], n: 5, stream: true })).input).toBe(3)
  expect((await asked({})).input).toBe(0)
})

test('the limit of responses is the limit of an input, and none of a chat', async () => {
  expect((await asked({ input: 'x', max_output_tokens: 100 })).tokens).toBe(100)
  expect((await asked({ messages: [], max_output_tokens: 100 })).tokens).toBeUndefined()
  expect((await asked({ messages: [], max_output_tokens: 100, max_tokens: 1 })).tokens).toBe(100)
})

test.for(['max_tokens', 'max_completion_tokens'])('%s is the limit', async (name) => {
  const messages = [{ role: 'user', content: '"max_tokens": 1', max_tokens: 2 }]
  expect(await asked({ messages, [name]: 100, model: 'gpt-5' })).toMatchObject({
    tokens: 100,
    model: 'gpt-5',
  })
})

test('the larger of two limits counts', async () => {
  expect((await asked({ max_tokens: 1, max_completion_tokens: 500 })).tokens).toBe(500)
})

test('each choice has the limit', async () => {
  expect((await asked({ max_tokens: 100, n: 3 })).tokens).toBe(300)
  expect((await asked({ max_tokens: 100, n: null })).tokens).toBe(100)
  expect((await asked({ max_tokens: 100, n: 1e9 })).tokens).toBe(12_800)
})

test('a huge limit is cut to the bound', async () => {
  expect((await asked({ max_tokens: 1e15 })).tokens).toBe(MOST_TOKENS)
  expect((await asked({ max_tokens: MOST_TOKENS, n: 128 })).tokens).toBe(MOST_TOKENS)
})

test.for([0, -1, 1.5, '100', null, [], {}, true])(
  'a limit or a number of choices of %s is none',
  async (value) => {
    expect((await asked({ max_tokens: value })).tokens).toBeUndefined()
    if (value !== null) expect((await asked({ max_tokens: 10, n: value })).tokens).toBeUndefined()
  },
)

test('a body that is no JSON object asks for nothing', async () => {
  for (const text of ['', 'max_tokens=5', '[{"max_tokens":5}]', '{"max_tokens":5', '5'])
    expect(await askedTokens(Buffer.from(text))).toEqual({
      input: Math.ceil(text.length / 4),
      tokens: undefined,
      model: undefined,
    })
})

test('a model that is no text is none', async () => {
  expect(await asked({ model: 5, max_tokens: 1 })).toEqual({ input: 0, tokens: 1, model: undefined })
})

test.for([
  ['twice', '{"model":"dear","model":"free"}'],
  ['in other letter case', '{"model":"free","Model":"dear"}'],
  ['in other letter case before', '{"MODEL":"dear","model":"free"}'],
  ['escaped in other letter case', '{"model":"free","\\u004dodel":"dear"}'],
  ['twice, once escaped', '{"mod\\u0065l":"dear","model":"free"}'],
])('a model that is named %s is none: the upstream may read the other one', async ([, text = '']) => {
  expect((await askedTokens(Buffer.from(text))).model).toBeUndefined()
})

test('an escaped name is the name', async () => {
  const escaped = [...'max_completion_tokens']
    .map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`)
    .join('')
  const text = `{"\\u006dodel":"dear","${escaped}":700}`
  expect(await askedTokens(Buffer.from(text))).toEqual({ input: 1, tokens: 700, model: 'dear' })
})

test('a limit or a number of choices that is named twice is none', async () => {
  for (const text of ['{"max_tokens":9000,"max_tokens":1}', '{"max_tokens":1,"n":9,"N":1}'])
    expect((await askedTokens(Buffer.from(text))).tokens).toBeUndefined()
})
