import type { IncomingMessage } from 'node:http'
import { PassThrough, type Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { Cancellation } from '../exchange.ts'
import { requestBody } from './request-body.ts'

function openBody(length?: number) {
  const stream = new PassThrough()
  const body = requestBody(stream as unknown as IncomingMessage, {
    length,
    maxBytes: 1000,
    signal: new Cancellation(),
    reply: { sendContinue: () => undefined },
  })
  return { stream, body }
}

test('two reads at once give the same bytes, each chunk once', async () => {
  const { stream, body } = openBody(10)
  const reads = Promise.all([body.read(100), body.read(100)])
  stream.write('hello')
  stream.end('world')
  expect((await reads).map(String)).toEqual(['helloworld', 'helloworld'])
  expect(String(body.content())).toBe('helloworld')
})

test('a read that is not awaited leaves its chunks to the forwarded stream', async () => {
  const { stream, body } = openBody()
  const read = body.read(100)
  stream.write('hello')
  await new Promise(setImmediate)
  const content = body.content() as Readable
  stream.end('world')
  expect(await text(content)).toBe('helloworld')
  expect(await read).toBeUndefined()
})
