import fc from 'fast-check'
import { expect, it } from 'vitest'
import { captureText, MAX_CAPTURED_BYTES } from './capture-body.ts'

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
