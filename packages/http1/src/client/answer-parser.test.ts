import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AnswerParser } from './answer-parser.ts'
import { InvalidAnswerError } from './invalid-answer.ts'

interface Read {
  readonly statuses: number[]
  readonly headers: readonly string[]
  readonly body: string
  readonly complete: boolean
  readonly keepAliveMs: number
}

/** Reads an answer that comes in pieces, each in the same memory as the one before. */
function readPieces(pieces: readonly Buffer[], method = 'GET'): Read {
  const parser = new AnswerParser()
  const memory = Buffer.alloc(65_536)
  const statuses: number[] = []
  let headers: readonly string[] = []
  const chunks: Buffer[] = []
  parser.expect(method, {
    onHead({ status, rawHeaders }) {
      statuses.push(status)
      headers = rawHeaders
    },
    onChunk: (bytes) => void chunks.push(bytes),
  })
  let complete = false
  for (const piece of pieces) {
    memory.fill('#', 0, piece.length)
    piece.copy(memory)
    complete = parser.read(memory.subarray(0, piece.length))
  }
  return {
    statuses,
    headers,
    body: Buffer.concat(chunks).toString('latin1'),
    complete,
    keepAliveMs: parser.keepAliveMs,
  }
}

const bytes = (text: string) => Buffer.from(text, 'latin1')
const read = (text: string, method?: string) => readPieces([bytes(text)], method)
const split = (text: string, ...at: number[]) =>
  [0, ...at].map((start, index) => bytes(text).subarray(start, at[index] ?? text.length))
const head = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`
const ok = 'HTTP/1.1 200 OK'

const sized = `${head(ok, 'Content-Type: text/plain', 'Content-Length: 5')}hello`
const chunked = `${head(ok, 'Transfer-Encoding: chunked')}3;a="b"\r\nhel\r\n2 ;x\r\nlo\r\n0\r\nX-Late: 1\r\n\r\n`
const plainChunks = `${head(ok, 'Transfer-Encoding: chunked')}3\r\nhel\r\n0002\r\nlo\r\n0\r\n\r\n`
const early = `${head('HTTP/1.1 103 Early Hints', 'Link: </a>')}${sized}`

describe('an answer', () => {
  it.each([
    ['with a length', sized],
    ['in chunks', chunked],
    ['in chunks without extensions', plainChunks],
    ['behind another', early],
    ['behind an empty line', `\r\n${sized}`],
  ])('%s is the same wherever it is split, in two or byte by byte', (_title, text) => {
    const whole = read(text)
    expect(whole).toMatchObject({ statuses: [200], body: 'hello', complete: true, keepAliveMs: 4000 })
    for (let at = 1; at < text.length; at += 1) expect(readPieces(split(text, at))).toEqual(whole)
    expect(readPieces([...bytes(text)].map((byte) => Buffer.from([byte])))).toEqual(whole)
  })

  it('is not complete before its last byte', () => {
    for (const text of [sized, chunked, plainChunks, early])
      for (let end = 1; end < text.length; end += 1) expect(read(text.slice(0, end)).complete).toBe(false)
  })

  it('keeps every byte of a header value, and takes the blanks around it away', () => {
    const { headers } = read(head(ok, 'X-A: \t\xa0b\xff \t', 'X-B:', 'Content-Length: 0'))
    expect(headers).toEqual(['X-A', '\xa0b\xff', 'X-B', '', 'Content-Length', '0'])
  })

  it.each([
    ['HEAD', head(ok, 'Content-Length: 5')],
    ['GET', head('HTTP/1.1 204 No Content')],
    ['GET', head('HTTP/1.1 304 Not Modified', 'Content-Length: 5')],
    ['GET', head(ok, 'Content-Length: 0')],
  ])('to %s without a body is complete with its head', (method, text) => {
    expect(read(text, method)).toMatchObject({ complete: true, body: '' })
  })

  it('without a length lasts until the connection ends', () => {
    const parser = new AnswerParser()
    const chunks: string[] = []
    parser.expect('GET', { onHead: () => undefined, onChunk: (part) => void chunks.push(part.toString()) })
    expect(parser.read(bytes(`${head(ok)}one`))).toBe(false)
    expect(parser.read(bytes('two'))).toBe(false)
    expect([parser.endsHere, parser.keepAliveMs, chunks]).toEqual([true, 0, ['one', 'two']])
  })

  it('in chunks has each of them as soon as it is there, whatever its length', () => {
    const parser = new AnswerParser()
    const chunks: number[] = []
    parser.expect('GET', { onHead: () => undefined, onChunk: (part) => void chunks.push(part.length) })
    const lengths = [1, 9, 10, 15, 16, 255, 256, 4095, 4096, 65_535, 65_536]
    const parts = lengths.map((length) => `${length.toString(16).toUpperCase()}\r\n${'x'.repeat(length)}\r\n`)
    parser.read(bytes(`${head(ok, 'Transfer-Encoding: chunked')}${parts.join('')}`))
    expect(chunks).toEqual(lengths)
    for (const part of parts) expect(parser.read(bytes(part))).toBe(false)
    expect(chunks).toEqual([...lengths, ...lengths])
  })

  it.each([
    [4000, sized],
    [4000, `${head(ok, 'Content-Length: 0', 'Keep-Alive: timeout=60, max=9')}`],
    [2000, `${head(ok, 'Content-Length: 0', 'Keep-Alive: max=9, timeout=3')}`],
    [0, `${head(ok, 'Content-Length: 0', 'Keep-Alive: timeout=1')}`],
    [0, `${head(ok, 'Content-Length: 0', 'Connection: x, Close')}`],
    [0, `${head(ok, 'Content-Length: 0', 'Connection: x', 'connection: close')}`],
    [0, head('HTTP/1.0 200 OK', 'Content-Length: 0', 'Connection: keep-alive')],
    [0, head('HTTP/1.1 204 No Content', 'Content-Length: 4')],
    [0, head('HTTP/1.1 304 Not Modified', 'Transfer-Encoding: chunked')],
    [4000, head('HTTP/1.1 204 No Content')],
    [0, `${sized}x`],
    [0, `${chunked}HTTP/1.1 200 OK\r\n`],
  ])('leaves its connection usable for %i ms: %j', (ms, text) => {
    expect(read(text)).toMatchObject({ complete: true, keepAliveMs: ms })
  })
})

describe('what is refused', () => {
  const invalid = [
    'x',
    'HTTP/2',
    'http/1.1 200 OK\r\n\r\n',
    head('HTTP/1.2 200 OK'),
    head('HTTP/1.1 20 OK'),
    head('HTTP/1.1 099 OK'),
    head('HTTP/1.1 2000 OK'),
    head('HTTP/1.1  200 OK'),
    head('HTTP/1.1 100 Continue'),
    head('HTTP/1.1 101 Switching Protocols', 'Upgrade: h2c'),
    `${ok}\n\n`,
    `${ok}\r\nA: b\n\r\n\r\n`,
    `${ok}\r\nA: b\rc\r\n\r\n`,
    `${ok}\r\nA: b\r\r\n\r\n`,
    head(ok, 'A: \0'),
    head(ok, 'A: \x7f'),
    head(ok, 'A: b', ' folded'),
    head(ok, 'A : b'),
    head(ok, ': b'),
    head(ok, 'no colon'),
    head(ok, 'Content-Length: 1', 'Content-Length: 1'),
    head(ok, 'Content-Length: 1, 1'),
    ...['-1', '+1', '0x1', '1e3', '', ' ', '1 1', '9'.repeat(16)].map((value) =>
      head(ok, `Content-Length: ${value}`),
    ),
    head(ok, 'Content-Length: 1', 'Transfer-Encoding: chunked'),
    head(ok, 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'),
    head(ok, 'Transfer-Encoding: gzip, chunked'),
    head(ok, 'Transfer-Encoding: identity'),
    head(ok, 'Transfer-Encoding: \x0bchunked'),
    head('HTTP/1.0 200 OK', 'Transfer-Encoding: chunked'),
    head(ok, `A: ${'a'.repeat(16_384)}`),
    `${ok}\r\nA: ${'a'.repeat(16_384)}`,
    ...['x', '-1', '0x1', '', ' 1', '1 1', '1'.repeat(13), '1\n', '1;\x01', `1;${'a'.repeat(1024)}`].map(
      (size) => `${head(ok, 'Transfer-Encoding: chunked')}${size}\r\n`,
    ),
    `${head(ok, 'Transfer-Encoding: chunked')}1\r\nab\r\n`,
    `${head(ok, 'Transfer-Encoding: chunked')}2\r\nab\r\n1\r\nab\r\n`,
    `${head(ok, 'Transfer-Encoding: chunked')}2\r\nab\r\n2\nab\r\n0\r\n\r\n`,
    `${head(ok, 'Transfer-Encoding: chunked')}1\r\na\n0\r\n\r\n`.replace('a\n', 'a\nx\r\n'),
    `${head(ok, 'Transfer-Encoding: chunked')}0\r\nA: \0\r\n\r\n`,
    `${head(ok, 'Transfer-Encoding: chunked')}0\r\n${`A: ${'a'.repeat(1000)}\r\n`.repeat(20)}\r\n`,
  ]

  it.each(invalid.map((text) => [text]))('%j', (text) => {
    expect(() => read(text)).toThrow(InvalidAnswerError)
    // Byte by byte too, and no later than when all of it is there.
    expect(() => readPieces([...bytes(text)].map((byte) => Buffer.from([byte])))).toThrow(InvalidAnswerError)
  })

  it('is refused without a word of it', () => {
    for (const text of invalid) expect(() => read(text.replaceAll('A', 'SECRET'))).toThrow(/^(?!.*SECRET)/)
  })
})

describe('whatever comes', () => {
  const seed = Number(process.env['SEED'])

  it(`is read the same in any pieces, or refused in all of them (seed ${seed})`, () => {
    const part = fc.constantFrom(
      ok,
      '\r\n',
      '\r\n\r\n',
      '\n',
      'Content-Length: 3',
      'Transfer-Encoding: chunked',
      'Connection: close',
      'HTTP/1.1 103 X',
      'abc',
      '3',
      '0',
      ':',
      ' ',
      ';x',
    )
    const text = fc.array(part, { maxLength: 14 }).map((parts) => `${ok}\r\n${parts.join('')}`)
    const outcome = (pieces: readonly Buffer[]) => {
      try {
        return readPieces(pieces)
      } catch (error) {
        if (error instanceof InvalidAnswerError) return 'refused'
        throw error
      }
    }
    fc.assert(
      fc.property(text, fc.array(fc.nat(120), { maxLength: 6 }), (answer, cuts) => {
        const at = [...new Set(cuts)].filter((cut) => cut > 0 && cut < answer.length)
        const pieces = split(answer, ...at.toSorted((a, b) => a - b))
        expect(outcome(pieces)).toEqual(outcome([bytes(answer)]))
      }),
      { seed, numRuns: 3000 },
    )
  })
})
