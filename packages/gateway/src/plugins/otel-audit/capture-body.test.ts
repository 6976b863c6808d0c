import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeBody, makeContext, makeExchange } from '../../../test/plugins/make-exchange.ts'
import type { RequestBody } from '../../exchange.ts'
import { captureBody, captureText, MAX_CAPTURED_BYTES } from './capture-body.ts'

it('keeps a body of exactly 1 MiB', () => {
  expect(captureText(Buffer.alloc(MAX_CAPTURED_BYTES, 'a'))).toBe('a'.repeat(MAX_CAPTURED_BYTES))
})

it('cuts one byte more at 1 MiB', () => {
  expect(captureText(Buffer.alloc(MAX_CAPTURED_BYTES + 1, 'a'))).toBe('a'.repeat(MAX_CAPTURED_BYTES))
})

it.each([
  ['two bytes', 'é'],
  ['three bytes', '€'],
  ['four bytes', '😀'],
])('leaves out a character of %s that does not fit, wherever the limit falls in it', (_, character) => {
  const size = Buffer.byteLength(character)
  for (let inside = 1; inside < size; inside += 1) {
    const filler = 'a'.repeat(MAX_CAPTURED_BYTES - inside)
    expect(captureText(Buffer.from(`${filler}${character}tail`))).toBe(filler)
  }
})

it('keeps a character that ends exactly at the limit', () => {
  const filler = 'a'.repeat(MAX_CAPTURED_BYTES - 4)
  expect(captureText(Buffer.from(`${filler}😀tail`))).toBe(`${filler}😀`)
})

it('shows bytes that are no UTF-8 as replacement characters', () => {
  expect(captureText(Buffer.from([0x61, 0xff, 0xfe, 0x00, 0x62]))).toBe('a\ufffd\ufffd\u0000b')
})

it.each([0xff, 0x80])('keeps at most 1 MiB of text of a binary body full of 0x%s', (byte) => {
  const text = captureText(Buffer.alloc(2 * MAX_CAPTURED_BYTES, byte))
  expect(Buffer.byteLength(text)).toBe(MAX_CAPTURED_BYTES - 1)
  expect(text.replaceAll('\ufffd', '')).toBe('')
})

it('keeps a prefix of any text and at most three bytes less than the limit', () => {
  const property = fc.property(fc.string({ unit: 'binary', maxLength: 12 }), fc.nat(16), (tail, room) => {
    const body = `${'x'.repeat(MAX_CAPTURED_BYTES - room)}${tail}`
    const text = captureText(Buffer.from(body))
    const kept = Buffer.byteLength(text)
    expect(body.startsWith(text)).toBe(true)
    expect(kept).toBeLessThanOrEqual(MAX_CAPTURED_BYTES)
    expect(kept).toBeGreaterThanOrEqual(Math.min(Buffer.byteLength(body), MAX_CAPTURED_BYTES - 3))
  })
  fc.assert(property, { numRuns: 30, verbose: 1 })
})

describe('the captured body of a request', () => {
  async function capture(body: RequestBody, bodyUninspected = false) {
    const context = makeContext()
    onTestFinished(() => context.close())
    const exchange = makeExchange({ body, bodyUninspected })
    const pending = captureBody(exchange, context.log)
    expect(await pending).toBeUndefined()
    return { exchange, waited: pending !== undefined, lines: context.lines }
  }

  it('is its text', async () => {
    const { exchange, waited } = await capture(makeBody('hello'))
    expect([exchange.requestBodyForAudit, waited]).toEqual(['hello', true])
  })

  it('is empty at once for an empty body', async () => {
    const { exchange, waited } = await capture(makeBody(''))
    expect([exchange.requestBodyForAudit, waited]).toEqual(['', false])
  })

  it('is absent, without a read, when prompt-sanitize did not inspect it', async () => {
    for (const body of [makeBody('secret'), makeBody('')]) {
      const { exchange, waited } = await capture(body, true)
      expect([exchange.requestBodyForAudit, waited]).toEqual([undefined, false])
    }
  })

  it('is absent when the body is larger than the gateway allows', async () => {
    const { exchange, lines } = await capture({ ...makeBody([]), read: async () => undefined })
    expect([exchange.requestBodyForAudit, lines]).toEqual([undefined, []])
  })

  it('is absent when the client disconnects, and the log says why', async () => {
    const error = new Error('aborted')
    const { exchange, lines } = await capture({ ...makeBody([]), read: () => Promise.reject(error) })
    expect(exchange.requestBodyForAudit).toBeUndefined()
    expect(lines).toEqual([
      {
        level: 'debug',
        message: 'otel-audit could not read a body',
        fields: { request_id: exchange.trace.requestId, error },
      },
    ])
  })
})
