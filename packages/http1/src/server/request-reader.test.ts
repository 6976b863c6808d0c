import { describe, expect, it, test } from 'vitest'
import { MalformedRequestError } from './malformed.ts'
import type { WireHead } from './request-lines.ts'
import { RequestReader } from './request-reader.ts'

interface Seen {
  readonly heads: WireHead[]
  readonly bodies: string[]
  complete: number
  /** Status and code of the refusal. */
  refused: string | undefined
}

const LIMITS = { maxHeadBytes: 200, maxHeaders: 5 }

/** Reads a text in pieces, and the end of the connection behind it. */
function read(text: string, pieceBytes = Number.POSITIVE_INFINITY): Seen {
  const bytes = Buffer.from(text, 'latin1')
  const seen: Seen = { heads: [], bodies: [], complete: 0, refused: undefined }
  const reader = new RequestReader(LIMITS, {
    onHead(head) {
      seen.heads.push(head)
      seen.bodies.push('')
    },
    onBody(part) {
      seen.bodies.push(`${seen.bodies.pop()}${part.toString('latin1')}`)
    },
    onComplete() {
      seen.complete += 1
    },
  })
  try {
    for (let from = 0; from < bytes.length; from += pieceBytes) {
      const piece = bytes.subarray(from, Math.min(bytes.length, from + pieceBytes))
      for (let at = 0; at < piece.length; ) at = reader.read(piece, at)
    }
    reader.end()
  } catch (error) {
    if (!(error instanceof MalformedRequestError)) throw error
    seen.refused = `${error.status} ${error.code}`
  }
  return seen
}

const get = (lines = '') => `GET /a HTTP/1.1\r\nHost: h\r\n${lines}\r\n`
const post = (lines: string, body = '') => `POST /a HTTP/1.1\r\nHost: h\r\n${lines}\r\n${body}`
const chunked = (body: string) => post('Transfer-Encoding: chunked\r\n', body)

test('a head has its method, target, version and headers as they were sent', () => {
  expect(read(`PUT /a?b=c HTTP/1.0\r\nHost: h\r\nX-Note: \t a \xe9 \t\r\nX-None:\r\n\r\n`).heads).toEqual([
    {
      method: 'PUT',
      url: '/a?b=c',
      httpVersion: '1.0',
      rawHeaders: ['Host', 'h', 'X-Note', 'a \xe9', 'X-None', ''],
      framing: 0,
      keepsAlive: false,
    },
  ])
})

test.each([
  ['HTTP/1.1', '', true],
  ['HTTP/1.1', 'Connection: x, Close\r\n', false],
  ['HTTP/1.1', 'Connection: x\r\nConnection: close\r\n', false],
  ['HTTP/1.1', 'Connection: keep-alive\r\n', true],
  ['HTTP/1.1', 'Proxy-Connection: x, Close\r\n', false],
  ['HTTP/1.1', 'Connection: keep-alive\r\nProxy-Connection: close\r\n', false],
  ['HTTP/1.1', 'Proxy-Connection: keep-alive\r\n', true],
  ['HTTP/1.0', 'Proxy-Connection: keep-alive\r\n', false],
  ['HTTP/1.1', 'Connection: \xa0close\r\n', true],
  ['HTTP/1.0', '', false],
  ['HTTP/1.0', 'Connection: Keep-Alive\r\n', true],
  ['HTTP/1.0', 'Connection: keep-alive, close\r\n', false],
])('%s with %j keeps its connection: %s', (version, lines, keeps) => {
  expect(read(`GET / ${version}\r\n${lines}\r\n`).heads[0]?.keepsAlive).toBe(keeps)
})

describe('a target', () => {
  it.each(['/', '/a#b', '*', 'http://h', 'http://h/a?b', 'HTTPS://h:1?x', 'ftp://u@h/', '//'])(
    '%s is read',
    (target) => {
      expect(read(`GET ${target} HTTP/1.1\r\n\r\n`).heads[0]?.url).toBe(target)
    },
  )

  it.each(['a', '*a', 'http:/h', 'http://', 'http://a@@b', 'h:80', '/\xe9', '/\x7f', '"'])(
    '%j is refused',
    (target) => {
      expect(read(`GET ${target} HTTP/1.1\r\n\r\n`)).toMatchObject({
        heads: [],
        refused: expect.stringMatching(/^400 HPE_INVALID_URL$/),
      })
    },
  )

  it('of CONNECT is an authority, and its content is nothing', () => {
    const { heads, complete } = read('CONNECT h:80 HTTP/1.1\r\nContent-Length: 5\r\n\r\n')
    expect(heads).toMatchObject([{ url: 'h:80', framing: 0 }])
    expect(complete).toBe(1)
  })
})

describe('a request line', () => {
  it.each([
    ['get / HTTP/1.1', 'HPE_INVALID_METHOD'],
    ['FETCH / HTTP/1.1', 'HPE_INVALID_METHOD'],
    ['PRI * HTTP/2.0', 'HPE_INVALID_METHOD'],
    ['\x16\x03\x01', 'HPE_INVALID_METHOD'],
    ['GET', 'HPE_INVALID_URL'],
    ['GET  / HTTP/1.1', 'HPE_INVALID_URL'],
    ['GET\t/ HTTP/1.1', 'HPE_INVALID_METHOD'],
    ['GET /a b HTTP/1.1', 'HPE_INVALID_VERSION'],
    ['GET / HTTP/1.2', 'HPE_INVALID_VERSION'],
    ['GET / HTTP/1.1 ', 'HPE_INVALID_VERSION'],
    ['GET / http/1.1', 'HPE_INVALID_VERSION'],
    ['SOURCE / ICE/1.0', 'HPE_INVALID_VERSION'],
  ])('%j is refused', (line, code) => {
    expect(read(`${line}\r\n\r\n`)).toMatchObject({ heads: [], refused: `400 ${code}` })
  })

  it('may have no version, or one that only a refusal answers', () => {
    expect(read('GET /\r\n\r\n').heads[0]?.httpVersion).toBe('0.9')
    expect(read('GET / HTTP/2.0\r\n\r\n').heads[0]?.httpVersion).toBe('2.0')
  })

  it('may have empty lines before it, which count', () => {
    expect(read(`\r\n\r\n${get()}`)).toMatchObject({ complete: 1, refused: undefined })
    expect(read('\r\n'.repeat(200) + get()).refused).toBe('414 HPE_HEADER_OVERFLOW')
    expect(read('\r\n\r').refused).toBeUndefined()
    expect(read(`\n${get()}`).refused).toBe('400 HPE_INVALID_METHOD')
  })

  it('that cannot become one is refused before it ends', () => {
    expect(read('GEX')).toMatchObject({ refused: '400 HPE_INVALID_METHOD' })
    expect(read('GET /\x01')).toMatchObject({ refused: '400 HPE_INVALID_URL' })
  })
})

test.each([
  'X Y: a',
  'X : a',
  ' X: a',
  '\tX: a',
  ': a',
  'X',
  'X\xe9: a',
  'X: a\0b',
  'X: a\rb',
  'X: a\nb',
  'X: a\r',
  'X: \x7f',
])('the header line %j is refused', (line) => {
  expect(read(get(`${line}\r\n`))).toMatchObject({ heads: [], refused: '400 HPE_INVALID_HEADER_TOKEN' })
})

describe('the size of a head', () => {
  const room = 200 - get('X: \r\n').length + 4

  it('is bound: a byte more is 431, in the request line 414', () => {
    expect(read(get(`X: ${'a'.repeat(room)}\r\n`)).complete).toBe(1)
    expect(read(get(`X: ${'a'.repeat(room)}\r\n`), 1).complete).toBe(1)
    expect(read(get(`X: ${'a'.repeat(room + 1)}\r\n`), 1).refused).toBe('431 HPE_HEADER_OVERFLOW')
    expect(read(get(`X: ${'a'.repeat(room + 1)}\r\n`)).refused).toBe('431 HPE_HEADER_OVERFLOW')
    expect(read(`GET /${'a'.repeat(200)} HTTP/1.1\r\n\r\n`).refused).toBe('414 HPE_HEADER_OVERFLOW')
    expect(read(`GET /${'a'.repeat(200)}`).refused).toBe('414 HPE_HEADER_OVERFLOW')
  })

  it('is bound in lines too, and counts anew for the next request', () => {
    expect(read(get('a: b\r\n'.repeat(4)) + get('a: b\r\n'.repeat(4))).complete).toBe(2)
    expect(read(get('a: b\r\n'.repeat(5))).refused).toBe('431 HPE_HEADER_OVERFLOW')
  })
})

describe('a length', () => {
  it.each([
    ['5', 5],
    ['0005', 5],
    ['0', 0],
    ['9223372036854775807', 2 ** 63],
    ['18446744073709551615', 2 ** 64],
    [`${'0'.repeat(100)}5`, 5],
  ])('%s is read', (text, framing) => {
    expect(read(post(`Content-Length: ${text}\r\n`)).heads[0]?.framing).toBe(framing)
  })

  it.each(['', '+5', '-5', '5a', '5 5', '5, 5', '0x5', '5.0', '1e1', '18446744073709551616', '\xb2'])(
    '%j is refused',
    (text) => {
      expect(read(post(`Content-Length: ${text}\r\n`, 'hello'))).toMatchObject({
        heads: [],
        refused: '400 HPE_INVALID_CONTENT_LENGTH',
      })
    },
  )

  it('that is sent twice is refused', () => {
    expect(read(post('Content-Length: 5\r\ncontent-length: 5\r\n')).refused).toBe(
      '400 HPE_INVALID_CONTENT_LENGTH',
    )
  })

  it('beside a coding is refused in both orders', () => {
    const [length, coding] = ['Content-Length: 0\r\n', 'Transfer-Encoding: x\r\n']
    expect(read(post(length + coding)).refused).toBe('400 HPE_INVALID_TRANSFER_ENCODING')
    expect(read(post(coding + length)).refused).toBe('400 HPE_INVALID_TRANSFER_ENCODING')
  })
})

describe('a coding', () => {
  it.each(['chunked', 'CHUNKED'])('%s is read', (coding) => {
    expect(read(post(`Transfer-Encoding: ${coding}\r\n`)).heads[0]?.framing).toBe('chunked')
  })

  it.each(['gzip', 'gzip, chunked', 'identity', 'xchunked', '\xa0chunked', 'chunked;q=1', '"chunked"'])(
    '%j has no end that is known',
    (coding) => {
      const seen = read(post(`Transfer-Encoding: ${coding}\r\n`, `0\r\n\r\n${get()}`))
      expect(seen.heads).toMatchObject([{ framing: 'unknown' }])
      expect(seen.complete).toBe(0)
    },
  )

  // Some servers, Node among them, do not know a coding with a tab behind it.
  it.each(['chunked\t', 'chunked\t ', 'chunked \t', 'gzip, chunked\t'])('%j is refused', (coding) => {
    expect(read(post(`Transfer-Encoding: ${coding}\r\n`)).refused).toBe('400 HPE_INVALID_TRANSFER_ENCODING')
  })

  it.each(['', '\t', 'x,', ', x', 'chunked, gzip', 'chunked,', 'chunked, chunked', 'chunked , x'])(
    '%j is refused',
    (coding) => {
      expect(read(post(`Transfer-Encoding: ${coding}\r\n`)).refused).toBe('400 HPE_INVALID_TRANSFER_ENCODING')
    },
  )
})

describe('chunks', () => {
  it.each([
    ['5\r\nhello\r\n0\r\n\r\n', 'hello'],
    ['0\r\n\r\n', ''],
    ['0000005\r\nhello\r\n000\r\n\r\n', 'hello'],
    ['2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n', 'hello'],
    ['A\r\nhelloworld\r\n0\r\n\r\n', 'helloworld'],
    ['5;a;b=c;d="e;\\" f"\r\nhello\r\n0;x\r\n\r\n', 'hello'],
    ['5\r\nhello\r\n0\r\nX-Late: 1\r\nHost: evil\r\n\r\n', 'hello'],
    ['4\r\n\r\n\r\n\r\n0\r\n\r\n', '\r\n\r\n'],
  ])('%j are read, and the next request behind them', (text, body) => {
    const seen = read(chunked(text) + get())
    expect(seen.refused).toBeUndefined()
    expect([seen.complete, ...seen.bodies]).toEqual([2, body, ''])
  })

  it.each([
    '5\nhello\r\n0\r\n\r\n',
    '5\rhello\r\n0\r\n\r\n',
    '5\r\r\nhello\r\n0\r\n\r\n',
    '5 \r\nhello\r\n0\r\n\r\n',
    ' 5\r\nhello\r\n0\r\n\r\n',
    '0x5\r\nhello\r\n0\r\n\r\n',
    '\r\nhello\r\n0\r\n\r\n',
    ';a\r\nhello\r\n0\r\n\r\n',
    '5;\r\nhello\r\n0\r\n\r\n',
    '5; a\r\nhello\r\n0\r\n\r\n',
    '5;a=\r\nhello\r\n0\r\n\r\n',
    '5;a="\r\n"\r\nhello\r\n0\r\n\r\n',
    '5;a="b\r\nhello\r\n0\r\n\r\n',
    '10000000000005\r\nhello\r\n0\r\n\r\n',
    '5\r\nhelloworld\r\n0\r\n\r\n',
    '5\r\nhello\n0\r\n\r\n',
    '5\r\nhello\r\r\n0\r\n\r\n',
    '5\r\nhello0\r\n\r\n',
    '5\r\nhello\r\n0\r\n\n',
    '5\r\nhello\r\n0\r\nX-Late\r\n\r\n',
    '5\r\nhello\r\n0\r\nX-Late : 1\r\n\r\n',
    '5\r\nhello\r\n0\r\nX-Late: 1\r\n 2\r\n\r\n',
    '5\r\nhello\r\n0\r\nContent-Length: 5\r\n\r\n',
    '5\r\nhello\r\n0\r\nConnection: close\r\n\r\n',
    '5\r\nhello\r\n0\r\ntransfer-encoding: chunked\r\n\r\n',
  ])('%j are refused', (text) => {
    const seen = read(chunked(text) + get())
    expect([seen.complete, seen.refused]).toEqual([0, expect.stringMatching(/^400 HPE_/)])
  })

  it('have bounds of their own for sizes, extensions and trailers', () => {
    expect(read(chunked('0'.repeat(100))).refused).toBe('400 HPE_INVALID_CHUNK_SIZE')
    expect(read(chunked(`5;${'a'.repeat(17_000)}`)).refused).toBe('413 HPE_CHUNK_EXTENSIONS_OVERFLOW')
    const many = `1;${'a'.repeat(10_000)}\r\nx\r\n`
    expect(read(chunked(many + many)).refused).toBe('413 HPE_CHUNK_EXTENSIONS_OVERFLOW')
    expect(read(chunked(`0\r\nX: ${'a'.repeat(200)}`)).refused).toBe('431 HPE_HEADER_OVERFLOW')
    expect(read(chunked(`0\r\n${'a: b\r\n'.repeat(6)}`)).refused).toBe('431 HPE_HEADER_OVERFLOW')
  })
})

test('a request that breaks off is refused; between two requests the client may leave', () => {
  const whole = get() + post('Content-Length: 5\r\n', 'hello')
  expect(read(whole).refused).toBeUndefined()
  for (const cut of [1, 20, get().length + 1, whole.length - 5, whole.length - 1])
    expect(read(whole.slice(0, cut)).refused).toBe('400 HPE_INVALID_EOF_STATE')
})

test('every way to cut the bytes gives the same requests', () => {
  const text =
    get('X: y\r\n') +
    post('Content-Length: 7\r\n', '\r\n\r\nabc') +
    chunked('5;a="b"\r\nhel\r\n\r\n0\r\nX-Late: 1\r\n\r\n') +
    `\r\n${get('Connection: close\r\n')}`
  const whole = read(text)
  expect(whole).toMatchObject({ complete: 4, refused: undefined, bodies: ['', '\r\n\r\nabc', 'hel\r\n', ''] })
  for (let size = 1; size < text.length; size += 1) expect(read(text, size)).toEqual(whole)
})
