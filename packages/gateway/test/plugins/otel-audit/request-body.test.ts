import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import type { RequestBody } from '../../../src/exchange.ts'
import { otelAudit } from '../../../src/plugins/otel-audit/otel-audit.ts'
import { makeBody, makeContext } from '../make-exchange.ts'
import { auditedExchange, auditOptions, drive } from './drive.ts'

const MEBIBYTE = 1_048_576

async function recordOf(body: RequestBody, enabled = true) {
  const context = makeContext()
  const plugin = otelAudit(auditOptions({ include_request_body: enabled }), context)
  await drive(plugin, auditedExchange({ body }))
  await plugin.close?.()
  return { record: JSON.parse(context.written.join('')), context }
}

async function forwarded(body: RequestBody): Promise<Buffer> {
  const content = body.content()
  return content instanceof Readable ? buffer(content) : (content ?? Buffer.alloc(0))
}

it('adds the body when told to, and the request keeps its own', async () => {
  const body = makeBody('{"goal":"ctr"}')
  const { record } = await recordOf(body)
  expect(record.request_body).toBe('{"goal":"ctr"}')
  expect((await forwarded(body)).toString()).toBe('{"goal":"ctr"}')
})

it('adds a body that came in chunks', async () => {
  const { record } = await recordOf(makeBody([Buffer.from('{"goal":"€'), Buffer.from('uro"}')]))
  expect(record.request_body).toBe('{"goal":"€uro"}')
})

it('adds the body that prompt-sanitize left', async () => {
  const body = makeBody('mail bob@example.test')
  body.replace(Buffer.from('mail [REDACTED:email]'))
  expect((await recordOf(body)).record.request_body).toBe('mail [REDACTED:email]')
})

it('neither reads nor adds the body by default', async () => {
  const body = { ...makeBody('secret'), read: () => Promise.reject(new Error('read')) }
  const { record, context } = await recordOf(body, false)
  expect(Object.keys(record)).not.toContain('request_body')
  expect(context.lines).toEqual([])
})

it('lets a request without a body pass at once, with an empty body in its record', async () => {
  const plugin = otelAudit(auditOptions({ include_request_body: true }), makeContext())
  expect(plugin.request(auditedExchange())).toBeUndefined()
  await plugin.close?.()
  expect((await recordOf(makeBody())).record.request_body).toBe('')
})

it('cuts a larger body at 1 MiB between two characters and forwards all of it', async () => {
  const text = `${'a'.repeat(MEBIBYTE - 2)}€${'b'.repeat(MEBIBYTE)}`
  const body = makeBody(text)
  const { record } = await recordOf(body)
  expect(record.request_body === 'a'.repeat(MEBIBYTE - 2)).toBe(true)
  expect((await forwarded(body)).equals(Buffer.from(text))).toBe(true)
})

it('writes a binary body as text that is valid and not larger', async () => {
  const bytes = Buffer.alloc(2 * MEBIBYTE, 0xfe)
  const body = makeBody(bytes)
  const { record } = await recordOf(body)
  expect(Buffer.byteLength(record.request_body)).toBeLessThanOrEqual(MEBIBYTE)
  expect(record.request_body.replaceAll('\ufffd', '')).toBe('')
  expect((await forwarded(body)).equals(bytes)).toBe(true)
})

it('writes a record of 1 MiB of control characters, six bytes each', async () => {
  const { record } = await recordOf(makeBody(Buffer.alloc(MEBIBYTE, 1)))
  expect(record.request_body === '\u0001'.repeat(MEBIBYTE)).toBe(true)
})

it.each([
  ['is larger than the gateway takes', () => Promise.resolve(undefined)],
  ['breaks off', () => Promise.reject(new Error('the client went away'))],
])('records a request whose body %s without it, and lets it go on', async (_, read) => {
  const { record, context } = await recordOf({ ...makeBody('x'), read })
  expect(record).toEqual(expect.objectContaining({ outcome: 'success', request_id: 'req-1' }))
  expect(Object.keys(record)).not.toContain('request_body')
  expect(context.lines.filter(({ level }) => level !== 'debug')).toEqual([])
})
