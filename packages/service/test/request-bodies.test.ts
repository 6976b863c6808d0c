import { request as httpRequest } from 'node:http'
import { startService } from '@agentic-rest/testing/start-service'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineOperation, success } from '../src/index.ts'
import { type Answer, ask, expectAnswer, expectInvalid } from './harness/ask.ts'

const echo = defineOperation({
  id: 'echo',
  method: 'POST',
  path: '/echo',
  input: z.object({ text: z.string().default('nothing'), deep: z.unknown().optional() }),
  run: ({ input }) => success({ length: input.text.length }),
})

const start = async (options: { maxBodyBytes?: number } = {}) =>
  `${(await startService({ operations: [echo], ...options })).url}/echo`

const json = { 'content-type': 'application/json' }

describe('a body that cannot be read', () => {
  it.each<[string, string | Uint8Array<ArrayBuffer>, string]>([
    ['malformed JSON', '{"text": }', 'The body is not valid JSON.'],
    ['half of a JSON text', '{"text": "a"', 'The body is not valid JSON.'],
    ['a comment', '{} // all', 'The body is not valid JSON.'],
    ['an array', '[1]', 'The body has to be a JSON object.'],
    ['a string', '"text"', 'The body has to be a JSON object.'],
    ['null', 'null', 'The body has to be a JSON object.'],
    ['a number', '7', 'The body has to be a JSON object.'],
    ['bytes that are not UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), 'The body is not UTF-8.'],
    ['65 levels', nested(65), 'The body is nested deeper than 64 levels.'],
    ['500,000 levels', nested(500_000), 'The body is nested deeper than 64 levels.'],
    ['500,000 levels without an end', '['.repeat(500_000), 'The body is nested deeper than 64 levels.'],
  ])('%s is refused', async (_title, body, message) => {
    expectInvalid(await ask(await start(), { body, method: 'POST', headers: json }), [
      { field: 'body', message },
    ])
  })

  it.each([
    ['a form', 'application/x-www-form-urlencoded'],
    ['text', 'text/plain'],
    ['an almost right type', 'application/jsonp'],
    ['garbage', '###'],
  ])('%s is refused by its media type', async (_title, type) => {
    const answer = await ask(await start(), { body: '{}', headers: { 'content-type': type } })
    expectInvalid(answer, [
      { field: 'Content-Type', message: 'The body has to be sent as application/json.' },
    ])
  })
})

describe('a number that is not finite', () => {
  it.each([
    ['{"deep":1e999}', 'deep'],
    ['{"deep":{"list":[0,-1e999]}}', 'deep.list.1'],
    [`{"${'n'.repeat(400)}":1e999}`, `${'n'.repeat(300)}…`],
    ['{"":1e999}', 'body'],
    // Not an input, but part of the digest of the request.
    ['{"other":1e999}', 'other'],
  ])('in %s is refused by its field', async (body, field) => {
    expectInvalid(await ask(await start(), { body, headers: json }), [
      { field, message: 'The number is too large.' },
    ])
  })

  it('is not taken for null under an idempotency key', async () => {
    const keep = defineOperation({
      id: 'keep',
      method: 'POST',
      path: '/keep',
      idempotent: true,
      run: () => success({ kept: true }),
    })
    const { url } = await startService({ operations: [keep], store: { memory: true } })
    const send = (body: string) =>
      ask(`${url}/keep`, { body, headers: { ...json, 'idempotency-key': 'k-1' } })
    expectAnswer(await send('{"limit":null}'), 200, { kept: true })
    expectInvalid(await send('{"limit":1e999}'), [{ field: 'limit', message: 'The number is too large.' }])
  })
})

describe('a body that can be read', () => {
  it.each([
    ['64 levels', nested(64), json],
    ['braces inside strings', JSON.stringify({ text: '{['.repeat(100), deep: '"\\"{{{' }), json],
    [
      'a media type with parameters and capitals',
      '{"text":"a"}',
      { 'content-type': 'Application/JSON; Charset=utf-8' },
    ],
    ['another JSON type', '{"text":"a"}', { 'content-type': 'application/merge-patch+json' }],
  ])('%s is taken', async (_title, body, headers) => {
    expect((await ask(await start(), { body, headers })).status).toBe(200)
  })

  it('nothing at all is an object without members', async () => {
    expectAnswer(await ask(await start(), { method: 'POST' }), 200, { length: 7 })
  })
})

describe('a body above the limit', () => {
  const tooLarge = {
    type: 'error',
    code: 'BODY_TOO_LARGE',
    message: 'The request body is larger than allowed.',
  }

  it('is refused by its length, and one of exactly the limit is not', async () => {
    const url = await start({ maxBodyBytes: 100 })
    const body = (length: number) => JSON.stringify({ text: 'a'.repeat(length - '{"text":""}'.length) })
    expectAnswer(await ask(url, { body: body(100), headers: json }), 200, { length: 89 })
    expectAnswer(await ask(url, { body: body(101), headers: json }), 413, tooLarge)
  })

  it('is refused when it says no length', async () => {
    const url = await start({ maxBodyBytes: 100 })
    expectAnswer(await askChunked(url, ['{"text":"', 'a'.repeat(200), '"}']), 413, tooLarge)
  })

  it('of 1 MiB by default is refused while it is still on its way', async () => {
    const url = await start()
    const answer = await askChunked(
      url,
      Array.from({ length: 40 }, () => 'a'.repeat(65_536)),
    )
    expectAnswer(answer, 413, tooLarge)
  })
})

function nested(depth: number): string {
  return `{"deep":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
}

/** Sends without a length; the answer may come before the end of the request. */
function askChunked(url: string, chunks: readonly string[]): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { ...json, 'x-tenant-id': 'acme', 'x-correlation-id': 'corr-1', 'x-request-id': 'req-1' }
    const request = httpRequest(url, { method: 'POST', headers, agent: false })
    let answered = false
    request.on('error', (error) => (answered ? undefined : reject(error)))
    request.on('response', (response) => {
      answered = true
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => {
        request.destroy()
        const all = Object.entries(response.headers).map(
          ([name, value]) => [name, String(value)] as [string, string],
        )
        resolve({ status: response.statusCode ?? 0, headers: new Headers(all), text })
      })
    })
    for (const chunk of chunks) request.write(chunk)
    request.end()
  })
}
