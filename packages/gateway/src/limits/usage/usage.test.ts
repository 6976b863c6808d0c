import { expect, test } from 'vitest'
import { MOST_TOKENS, readUsage } from './usage.ts'

test('counts of chat, responses and messages are read', () => {
  const tokens = { input: 12, output: 30 }
  expect(readUsage({ prompt_tokens: 12, completion_tokens: 30, total_tokens: 42 })).toEqual(tokens)
  expect(readUsage({ input_tokens: 12, output_tokens: 30, total_tokens: 42 })).toEqual(tokens)
  expect(readUsage({ input_tokens: 12, output_tokens: 30 }, 'gpt-5')).toEqual({ ...tokens, model: 'gpt-5' })
})

test('embeddings have no output', () => {
  expect(readUsage({ prompt_tokens: 8, total_tokens: 8 })).toEqual({ input: 8, output: 0 })
})

test('tokens of the prompt cache are input', () => {
  const usage = { input_tokens: 2, cache_creation_input_tokens: 300, cache_read_input_tokens: 4000 }
  expect(readUsage({ ...usage, output_tokens: 5 })).toEqual({ input: 4302, output: 5 })
  expect(readUsage({ input_tokens: 2, cache_read_input_tokens: null, output_tokens: 5 })).toEqual({
    input: 2,
    output: 5,
  })
})

test.for([
  -1,
  1.5,
  '12',
  Number.NaN,
  Number.POSITIVE_INFINITY,
  MOST_TOKENS + 1,
  1e300,
  null,
  undefined,
  [],
  {},
  true,
])('a count of %s reports nothing', (count) => {
  expect(readUsage({ prompt_tokens: count, completion_tokens: 1 })).toBeUndefined()
  expect(readUsage({ prompt_tokens: 1, completion_tokens: count })).toBeUndefined()
  expect(readUsage({ prompt_tokens: 1, total_tokens: count })).toBeUndefined()
  expect(readUsage({ input_tokens: count, output_tokens: 1 })).toBeUndefined()
  expect(readUsage({ input_tokens: 1, output_tokens: count })).toBeUndefined()
})

test('a total below the input, an invalid count of the cache and counts of 0 report nothing', () => {
  expect(readUsage({ prompt_tokens: 9, total_tokens: 8 })).toBeUndefined()
  expect(readUsage({ input_tokens: 1, output_tokens: 1, cache_read_input_tokens: -5 })).toBeUndefined()
  expect(readUsage({ prompt_tokens: 0, completion_tokens: 0 })).toBeUndefined()
})

test.for([undefined, null, 7, 'usage', [], {}])('a usage of %s reports nothing', (usage) => {
  expect(readUsage(usage)).toBeUndefined()
})

test.for([undefined, 7, '', 'x'.repeat(257)])('a model of %s is none', (model) => {
  expect(readUsage({ input_tokens: 1, output_tokens: 2 }, model)).toEqual({ input: 1, output: 2 })
})
