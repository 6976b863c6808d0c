import { expect, test } from 'vitest'
import { ChunkedBody, type ChunkRules } from './chunked-body.ts'
import { answerFaults } from './client/invalid-answer.ts'

const rules: ChunkRules = {
  faults: answerFaults,
  limits: { maxHeadBytes: 40, maxHeaders: 2 },
  maxExtensionBytes: 8,
  countsExtensionsOf: 'chunk',
  allowsBlanks: false,
}

/** The data of a body, cut into pieces of a size. */
function dataOf(text: string, own: Partial<ChunkRules> = {}, pieceBytes = text.length): string {
  const body = new ChunkedBody({ ...rules, ...own })
  body.begin()
  let data = ''
  for (let from = 0; from < text.length; from += pieceBytes) {
    const piece = Buffer.from(text.slice(from, from + pieceBytes), 'latin1')
    for (let at = 0; at < piece.length; )
      at = body.read(piece, at, (part) => {
        data += part.toString('latin1')
      })
  }
  return body.isComplete ? data : `${data}...`
}

/** In one piece and byte by byte. */
function bothWays(text: string, own: Partial<ChunkRules> = {}): string {
  const data = dataOf(text, own)
  expect(dataOf(text, own, 1)).toBe(data)
  return data
}

test('whole chunks, torn ones and trailers', () => {
  expect(bothWays('3\r\nabc\r\nA\r\n0123456789\r\n0\r\nX-A: 1\r\nX-B: 2\r\n\r\n')).toBe('abc0123456789')
  expect(bothWays('3\r\nabc\r\n5\r\nde')).toBe('abcde...')
  expect(bothWays('0\r\n\r\n')).toBe('')
})

test('blanks around the parts of an extension only where they are allowed', () => {
  const text = '1 ; a = "b"\r\nx\r\n0\r\n\r\n'
  expect(bothWays(text, { allowsBlanks: true, maxExtensionBytes: 20 })).toBe('x')
  for (const pieceBytes of [1, text.length])
    expect(() => dataOf(text, { maxExtensionBytes: 20 }, pieceBytes)).toThrow('a chunk size that is none')
})

test('extensions count for one chunk, or for the whole body', () => {
  const text = '1;aaaa\r\nx\r\n1;bbbb\r\ny\r\n0\r\n\r\n'
  expect(bothWays(text)).toBe('xy')
  expect(() => dataOf(text, { countsExtensionsOf: 'body' })).toThrow('too long')
  expect(() => dataOf('1;aaaaaaaa\r\nx\r\n0\r\n\r\n')).toThrow('too long')
})

test.each([
  ['1'.repeat(13), 'a chunk size that is none'],
  ['0'.repeat(65), 'a chunk size that is none'],
  ['-1', 'a chunk size that is none'],
  ['1\r\nab\r\n', 'a chunk that is longer than it says'],
  ['0\r\nno name\r\n', 'a header line without a valid name'],
  ['0\r\nContent-Length: 1\r\n', 'a length that is none'],
  ['0\r\nTransfer-Encoding: chunked\r\n', 'a transfer coding'],
  ['0\r\nConnection: close\r\n', 'a header line without a valid name'],
  ['0\r\nA: 1\r\nB: 2\r\nC: 3\r\n', 'too large'],
  [`0\r\nA: ${'1'.repeat(38)}\r\n`, 'too large'],
])('%j is refused', (text, message) => {
  for (const pieceBytes of [1, text.length])
    expect(() => dataOf(`${text}\r\n`, {}, pieceBytes)).toThrow(message)
})
