import { expect, onTestFinished, test, vi } from 'vitest'
import { FORBIDDEN, LineCollector } from './line-collector.ts'
import { RequestReader } from './server/request-reader.ts'

/** The lines of a text that arrives in pieces of a size. */
function linesOf(text: string, pieceBytes: number): string[] {
  const collector = new LineCollector()
  const lines: string[] = []
  const bytes = Buffer.from(text, 'latin1')
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    const piece = bytes.subarray(from, from + pieceBytes)
    for (let at = 0; at < piece.length; ) {
      at = collector.take(piece, at)
      if (collector.isWhole) lines.push(collector.finish())
    }
  }
  return lines
}

test('lines are the same for every size of the pieces', () => {
  const lines = ['', 'a', `b\r${'c'.repeat(63)}`, 'd'.repeat(64), 'e'.repeat(65), '', 'f'.repeat(300), '\xe9']
  const text = lines.map((line) => `${line}\r\n`).join('')
  for (let pieceBytes = 1; pieceBytes <= text.length; pieceBytes += 1)
    expect(linesOf(text, pieceBytes)).toEqual(lines)
})

test('every character is handed over, the first ones again with each piece', () => {
  const collector = new LineCollector()
  collector.take(Buffer.from('x'.repeat(64)), 0)
  collector.take(Buffer.from('y\r'), 0)
  expect([collector.known, collector.text]).toEqual([0, `${'x'.repeat(64)}y`])
  collector.take(Buffer.from('\rz'), 0)
  expect([collector.known, collector.text]).toEqual([65, '\r\rz'])
})

const limits = { maxHeadBytes: 1_000_000, maxHeaders: 100 }
const ignored = { onHead: () => undefined, onBody: () => undefined, onComplete: () => undefined }

/** The bytes and characters that are copied, decoded and checked while a text arrives byte by byte. */
function workOf(text: string): number {
  const reader = new RequestReader(limits, ignored)
  const bytes = Buffer.from(text, 'latin1')
  const decode = vi.spyOn(Buffer.prototype, 'toString')
  const copy = vi.spyOn(Buffer.prototype, 'copy')
  const check = vi.spyOn(FORBIDDEN, 'test')
  onTestFinished(() => void vi.restoreAllMocks())
  for (let at = 0; at < bytes.length; at += 1) reader.read(bytes.subarray(at, at + 1), 0)
  const decoded = decode.mock.results.map(({ value }) => String(value).length)
  const copied = copy.mock.results.map(({ value }) => Number(value))
  const checked = check.mock.calls.map(([line]) => line.length)
  vi.restoreAllMocks()
  return [...decoded, ...copied, ...checked].reduce((sum, count) => sum + count, 0)
}

const LONG = 5000

test.each([
  ['a request line', (length: number) => `GET /${'x'.repeat(length)}`],
  ['a header', (length: number) => `GET / HTTP/1.1\r\nx: ${'x'.repeat(length)}`],
  ['a trailer', (length: number) => `${chunkedPost}0\r\nx: ${'x'.repeat(length)}`],
])('the work for each byte of %s that arrives byte by byte does not grow', (_, textOf) => {
  const perByte = (workOf(textOf(2 * LONG)) - workOf(textOf(LONG))) / LONG
  expect(perByte).toBeGreaterThan(2)
  expect(perByte).toBeLessThan(6)
})

test('the work for each byte of a chunk extension that arrives byte by byte does not grow', () => {
  const textOf = (length: number) => `${chunkedPost}1;x=${'x'.repeat(length)}`
  expect((workOf(textOf(16_000)) - workOf(textOf(8000))) / 8000).toBeLessThan(6)
})

const chunkedPost = 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n'
