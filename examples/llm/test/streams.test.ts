import { expect, test } from 'vitest'
import { createLocalModel } from '../src/local-model.ts'
import type { Model } from '../src/model.ts'
import { framesOf, startLlm } from './harness/start-llm.ts'

const streamType = 'text/event-stream'

interface Frame {
  readonly choices: readonly { readonly text: string; readonly finish_reason: string | null }[]
  readonly usage?: object
}

test('a stream has a frame for each word, says why it ended, and is done', async () => {
  const { post } = await startLlm()
  const response = await post({ prompt: 'Two words', max_tokens: 3, stream: true })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, streamType])
  const frames = await framesOf(response)
  expect(frames.pop()).toBe('[DONE]')
  const [first, ...others] = frames.map((frame) => JSON.parse(frame) as Frame & { id: string })
  expect(first).toEqual({
    id: expect.stringMatching(/^cmpl-/),
    object: 'text_completion',
    created: expect.any(Number),
    model: 'local-text',
    choices: [{ index: 0, text: ' Each', logprobs: null, finish_reason: null }],
  })
  expect(others.map(({ choices }) => choices[0])).toEqual([
    { index: 0, text: ' device', logprobs: null, finish_reason: null },
    { index: 0, text: ' reaches', logprobs: null, finish_reason: 'length' },
  ])
  expect(new Set([first, ...others].map((frame) => frame?.id)).size).toBe(1)
})

test('the words of a stream are those of the JSON answer', async () => {
  const { post } = await startLlm()
  const whole = (await (await post({ prompt: 'a', max_tokens: 40 })).json()) as Frame
  const frames = await framesOf(await post({ prompt: 'a', max_tokens: 40, stream: true }))
  const words = frames.slice(0, -1).map((frame) => (JSON.parse(frame) as Frame).choices[0]?.text)
  expect(words.join('')).toBe(whole.choices[0]?.text)
})

test('who asks for the usage gets it in a frame of its own', async () => {
  const { post } = await startLlm()
  const body = { prompt: 'a', max_tokens: 2, stream: true, stream_options: { include_usage: true } }
  const frames = await framesOf(await post(body))
  expect(JSON.parse(frames.at(-2) ?? '')).toMatchObject({
    choices: [],
    usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
  })
})

test('a stop text at the beginning leaves one empty frame with the reason', async () => {
  const { post } = await startLlm()
  const frames = await framesOf(await post({ prompt: 'Two words', stop: ' Each', stream: true }))
  expect(frames).toHaveLength(2)
  expect(JSON.parse(frames[0] ?? '')).toMatchObject({ choices: [{ text: '', finish_reason: 'stop' }] })
})

test.each([
  { accept: streamType, stream: undefined, type: streamType },
  { accept: streamType, stream: false, type: 'application/json' },
  { accept: 'application/json', stream: true, type: streamType },
  { accept: 'application/json', stream: undefined, type: 'application/json' },
])('accept $accept and stream $stream give $type', async ({ accept, stream, type }) => {
  const { post } = await startLlm()
  const response = await post({ prompt: 'a', stream }, { headers: { accept } })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, type])
  await response.text()
})

test('the first word comes before the last is made', async () => {
  const { promise: lastWord, resolve: giveLastWord } = Promise.withResolvers<void>()
  const { post } = await startLlm(
    modelOf(async function* () {
      yield 'data: first\n\n'
      await lastWord
      yield 'data: last\n\n'
    }),
  )
  const reader = (await post({ prompt: 'a', stream: true })).body?.getReader()
  const decoder = new TextDecoder()
  expect(decoder.decode((await reader?.read())?.value)).toBe('data: first\n\n')
  giveLastWord()
  expect(decoder.decode((await reader?.read())?.value)).toBe('data: last\n\n')
})

test('a caller who leaves stops the model', async () => {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<unknown>()
  const local = createLocalModel({ frameMs: 1 })
  const { post } = await startLlm({
    complete: local.complete,
    stream(input, signal) {
      signal.addEventListener('abort', () => stop('stopped'))
      return local.stream(input, signal)
    },
  })
  const leaving = new AbortController()
  const body = { prompt: 'a', max_tokens: 4096, stream: true }
  const response = await post(body, { signal: leaving.signal })
  await response.body?.getReader().read()
  leaving.abort()
  expect(await stopped).toBe('stopped')
})

test('a stream that breaks off does not end as if it were complete', async () => {
  const received = Promise.withResolvers<void>()
  const { post } = await startLlm(
    modelOf(async function* () {
      yield 'data: first\n\n'
      // The model fails after the client has the frame.
      await received.promise
      throw new Error('the model died')
    }),
  )
  const { body } = await post({ prompt: 'a', stream: true })
  const reader = body?.getReader()
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('data: first\n\n')
  received.resolve()
  await expect(reader?.read()).rejects.toThrow('terminated')
})

function modelOf(frames: () => AsyncIterable<string>): Model {
  return {
    complete: () => Promise.reject(new Error('only streams')),
    stream: async () => ({ ok: true, frames: frames() }),
  }
}
