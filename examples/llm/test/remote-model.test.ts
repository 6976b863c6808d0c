import { once } from 'node:events'
import type { IncomingMessage, RequestListener } from 'node:http'
import { json } from 'node:stream/consumers'
import { startServer } from '@agentic-rest/testing/start-server'
import { expect, test } from 'vitest'
import { createRemoteModel, type RemoteModelOptions } from '../src/remote-model.ts'
import { framesOf, startLlm, trace } from './harness/start-llm.ts'

async function startWith(listener: RequestListener, options: Partial<RemoteModelOptions> = {}) {
  const baseUrl = `${(await startServer(listener)).url}/v1`
  return startLlm(createRemoteModel({ baseUrl, ...options }))
}

const unavailable = {
  type: 'failed_dependency',
  code: 'MODEL_UNAVAILABLE',
  message: 'The model gives no completion.',
  trace,
}

test('a request goes to the model with its own key, and the tokens of callers do not', async () => {
  const seen: { url?: string | undefined; authorization?: string | undefined; body?: unknown } = {}
  const { post } = await startWith(
    async (request, response) => {
      Object.assign(seen, { url: request.url, authorization: request.headers.authorization })
      seen.body = await json(request)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"1","choices":[]}')
    },
    { apiKey: 'the key of the model', model: 'small' },
  )
  const response = await post(
    { model: 'large', prompt: 'a', temperature: 0.5 },
    { headers: { authorization: 'Bearer of the caller' } },
  )
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({ id: '1', choices: [], trace })
  expect(seen).toEqual({
    url: '/v1/completions',
    authorization: 'Bearer the key of the model',
    body: { model: 'small', prompt: 'a', temperature: 0.5, max_tokens: 16, stream: false },
  })
})

test('a stream of the model is passed on frame by frame', async () => {
  const { promise: lastWord, resolve: giveLastWord } = Promise.withResolvers<void>()
  const { post } = await startWith(async (request, response) => {
    expect(await json(request)).toMatchObject({ stream: true })
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"choices":[]}\n\n')
    await lastWord
    response.end('data: [DONE]\n\n')
  })
  const response = await post({ prompt: 'a', stream: true })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  giveLastWord()
  expect(await framesOf(response)).toEqual(['{"choices":[]}', '[DONE]'])
})

const refusing: RequestListener = (_request, response) => {
  response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"secret detail"}')
}
const talkingHtml: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).end('<p>secret detail</p>')
}
const leaving: RequestListener = (request) => void request.socket.destroy()

test.each([
  ['refuses', refusing],
  ['answers with HTML', talkingHtml],
  ['breaks the connection', leaving],
])('a model that %s is a failed dependency, as JSON and as a stream', async (_what, listener) => {
  const { post } = await startWith(listener)
  for (const stream of [false, true]) {
    const response = await post({ prompt: 'a', stream })
    expect([response.status, response.headers.get('content-type')]).toEqual([
      424,
      'application/vnd.agentic.error+json',
    ])
    expect(await response.json()).toEqual(unavailable)
  }
})

test('a model that dies in the middle of a stream does not end it as if it were complete', async () => {
  const { post } = await startWith((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"choices":[]}\n\n')
    setImmediate(() => response.destroy())
  })
  const response = await post({ prompt: 'a', stream: true })
  await expect(response.text()).rejects.toThrow('terminated')
})

test('a stream of the model that ends without [DONE] does not look complete', async () => {
  const { post } = await startWith((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {"choices":[]}\n\n')
  })
  const response = await post({ prompt: 'a', stream: true })
  await expect(response.text()).rejects.toThrow('terminated')
})

test('a stream of the model without anything in it is a failed dependency', async () => {
  const { post } = await startWith((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end()
  })
  const response = await post({ prompt: 'a', stream: true })
  expect([response.status, await response.json()]).toEqual([424, unavailable])
})

test('a caller who leaves ends the request to the model', async () => {
  const { promise: request, resolve: arrived } = Promise.withResolvers<IncomingMessage>()
  const { post } = await startWith((incoming, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"choices":[]}\n\n')
    arrived(incoming)
  })
  const leavingCaller = new AbortController()
  const response = await post({ prompt: 'a', stream: true }, { signal: leavingCaller.signal })
  await response.body?.getReader().read()
  const closed = once((await request).socket, 'close')
  leavingCaller.abort()
  expect(await closed).toEqual([expect.any(Boolean)])
})
