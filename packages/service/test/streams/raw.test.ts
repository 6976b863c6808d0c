import { eventually } from '@agentic-rest/testing/eventually'
import { sharedStore } from '@agentic-rest/testing/shared-store'
import { startServer } from '@agentic-rest/testing/start-server'
import { startService } from '@agentic-rest/testing/start-service'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { defineOperation, type Outcome, raw } from '../../src/index.ts'
import { ask, expectAnswer, expectQuestion } from '../harness/ask.ts'
import { failedFrame, tell } from './story.ts'

const store = sharedStore()

/** A service in front of a foreign one, whose answer the test writes. */
async function startProxy(foreign: Parameters<typeof startServer>[0]) {
  const source = await startServer(foreign)
  const operation = defineOperation({
    id: 'chat',
    method: 'POST',
    path: '/chat',
    input: z.object({ prompt: z.string().describe('What?') }),
    idempotent: true,
    run: async ({ signal, setHeader }) => {
      setHeader('X-Model', 'small')
      return raw(await fetch(source.url, { signal }))
    },
  })
  return startService({ operations: [operation], store })
}

it('a foreign stream is passed on unchanged, behind the checks and with a record at its end', async () => {
  const { url, audit } = await startProxy((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-secret-host': 'db-7' })
    response.end('data: {"a":1}\n\ndata: [DONE]\n\n')
  })
  expectQuestion(await ask(`${url}/chat`, { json: {} }), [
    { name: 'prompt', location: 'body', type: 'string', required: true, question: 'What?' } as never,
  ])
  const stream = await tell(`${url}/chat`, { prompt: 'hello' })
  expect(await stream.ended).toEqual({ complete: true, text: 'data: {"a":1}\n\ndata: [DONE]\n\n' })
  expect(stream.response.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'x-agentic-profile': 'v0.3',
    'x-correlation-id': 'corr-1',
    'x-accel-buffering': 'no',
    'x-model': 'small',
  })
  expect(stream.response.headers).not.toHaveProperty('x-secret-host')
  expect(audit.at(-1)).toMatchObject({ outcome: 'success', attributes: { end: 'complete', status: '200' } })
})

it('a foreign answer that is no stream is passed on too', async () => {
  const { url } = await startProxy((_request, response) => {
    response.writeHead(201, { 'content-type': 'application/json' }).end('{"a":1}')
  })
  const answer = await ask(`${url}/chat`, { json: { prompt: 'hello' } })
  expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([
    201,
    '{"a":1}',
    'application/json',
  ])
})

it('a source that is cut breaks the connection off, so that the stream does not look complete', async () => {
  const { url, audit, log } = await startProxy((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: 1\n\n', () => response.destroy())
  })
  const stream = await tell(`${url}/chat`, { prompt: 'hello' })
  expect((await stream.ended).complete).toBe(false)
  const [record] = await eventually(
    () => audit,
    ({ length }) => length > 0,
  )
  expect(record).toMatchObject({ attributes: { end: 'error' } })
  expect(log).toMatchObject([{ level: 'error', message: 'a foreign stream broke off' }])
})

it('a client that leaves cancels the source', async () => {
  const gone = Promise.withResolvers<void>()
  const { url, audit } = await startProxy((_request, response) => {
    response.on('close', gone.resolve)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: 1\n\n')
  })
  const stream = await tell(`${url}/chat`, { prompt: 'hello' })
  await stream.until('data: 1')
  stream.leave()
  await gone.promise
  const [record] = await eventually(
    () => audit,
    ({ length }) => length > 0,
  )
  expect(record).toMatchObject({ attributes: { end: 'client_disconnect' } })
})

it('is refused with a key, which could not be kept, and for an answer that is no success', async () => {
  let status = 200
  const { url, log } = await startProxy((_request, response) => {
    response.writeHead(status).end('x')
  })
  const failure = { type: 'error', code: 'INTERNAL_ERROR', message: 'The operation failed.' }
  const headers = { 'idempotency-key': 'k' }
  expectAnswer(await ask(`${url}/chat`, { json: { prompt: 'a' }, headers }), 500, failure)
  status = 404
  expectAnswer(await ask(`${url}/chat`, { json: { prompt: 'a' } }), 500, failure)
  expect(log.map(({ fields }) => (fields['cause'] as Error).message)).toEqual([
    'raw cannot answer a request with an idempotency key or an approval',
    'raw takes an answer with a status from 200 to 299, not 404',
  ])
})

it('a foreign answer that is refused because of a key is cancelled', async () => {
  const gone = Promise.withResolvers<unknown>()
  const foreign = new Response(new ReadableStream({ cancel: gone.resolve }))
  const operation = defineOperation({
    id: 'keyed',
    method: 'POST',
    path: '/keyed',
    idempotent: true,
    run: () => raw(foreign),
  })
  const { url } = await startService({ operations: [operation], store })
  const headers = { 'idempotency-key': 'k-2' }
  expect((await ask(`${url}/keyed`, { method: 'POST', headers })).status).toBe(500)
  await gone.promise
})

it('is a fault as the outcome of a generator, whose stream has begun', async () => {
  const gone = Promise.withResolvers<unknown>()
  const foreign = new Response(new ReadableStream({ cancel: gone.resolve }))
  const operation = defineOperation({
    id: 'mixed',
    method: 'POST',
    path: '/mixed',
    async *run() {
      yield 1
      return raw(foreign) as unknown as Outcome
    },
  })
  const { url, log } = await startService({ operations: [operation] })
  expect((await (await tell(`${url}/mixed`)).ended).text).toBe(`data: 1\n\n${failedFrame}`)
  expect(log).toMatchObject([{ fields: { cause: { message: 'a generator cannot return raw' } } }])
  await gone.promise
})
