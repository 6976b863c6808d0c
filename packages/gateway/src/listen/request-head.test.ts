import { describe, expect, it, test } from 'vitest'
import { type JudgedHead, type ReadHead, readRequestHead } from './request-head.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

function read(overrides: Partial<ReadHead> = {}): JudgedHead {
  return readRequestHead({ method: 'POST', url: '/a?b=c', httpVersion: '1.1', rawHeaders: [], ...overrides })
}

/** The errors of a head that is refused, in their order. */
function errorsOf(overrides: Partial<ReadHead>): unknown {
  const { headFault } = read(overrides)
  return headFault?.type === 'validation_failed' ? headFault.errors : headFault
}

const withHeader = (name: string, value: string) => ({ rawHeaders: [name, value] })

test('a head is taken over as it is, with its headers by their small names', () => {
  const rawHeaders = ['Host', 'api.example:8080', 'X-Correlation-ID', 'corr-1', 'x-request-id', 'req-1']
  expect(read({ rawHeaders })).toEqual({
    method: 'POST',
    path: '/a',
    query: '?b=c',
    headers: Object.assign(Object.create(null), {
      host: 'api.example:8080',
      'x-correlation-id': 'corr-1',
      'x-request-id': 'req-1',
    }),
    rawHeaders,
    trace: { correlationId: 'corr-1', requestId: 'req-1' },
    headFault: undefined,
    endsConnection: false,
  })
})

test('headers have no prototype, and names of properties are names like others', () => {
  const { headers } = read({ rawHeaders: ['constructor', 'a', '__proto__', 'b'] })
  expect(Object.getPrototypeOf(headers)).toBeNull()
  expect(Object.keys(headers)).toEqual(['constructor', '__proto__'])
})

test('a header that may be sent more than once is joined', () => {
  const { headers, headFault } = read({ rawHeaders: ['Accept', 'a', 'accept', 'b', 'ACCEPT', 'c'] })
  expect([headers['accept'], headFault]).toEqual(['a, b, c', undefined])
})

describe('a header that two readers could read differently is refused when it comes twice', () => {
  it.each([
    'Host',
    'Authorization',
    'Content-Type',
    'X-Tenant-ID',
    'X-Correlation-ID',
    'X-Request-ID',
    'X-Actor-Principal',
    'Idempotency-Key',
  ])('%s', (name) => {
    const twice = { rawHeaders: [name, 'a', name.toLowerCase(), 'a'] }
    expect(errorsOf(twice)).toEqual([{ field: name, message: 'is sent more than once' }])
  })
})

test('a refusal has its words, and names each field once', () => {
  const rawHeaders = ['X-Request-ID', 'a', 'X-Request-ID', 'b', 'X-Request-ID', 'c', 'Host', 'a b']
  expect(read({ rawHeaders }).headFault).toEqual({
    type: 'validation_failed',
    message: 'The request is not valid.',
    errors: [
      { field: 'X-Request-ID', message: 'is sent more than once' },
      { field: 'Host', message: 'is not a host' },
    ],
  })
})

describe('an identifier', () => {
  it.each(['X-Correlation-ID', 'X-Request-ID'])('%s is made where there is none', (name) => {
    const key = name === 'X-Request-ID' ? 'requestId' : 'correlationId'
    expect(read().trace[key]).toMatch(UUID)
    const empty = read(withHeader(name, ''))
    expect([empty.headFault, empty.trace[key]]).toEqual([undefined, expect.stringMatching(UUID)])
  })

  it.each(['a\tb', 'é', 'x'.repeat(257)])('%j is refused, and one is made for the answer', (value) => {
    const head = read(withHeader('X-Request-ID', value))
    expect(head.trace.requestId).toMatch(UUID)
    expect(errorsOf(withHeader('X-Request-ID', value))).toEqual([
      { field: 'X-Request-ID', message: 'must be 1 to 256 printable ASCII characters' },
    ])
  })

  it('that was sent twice is not used', () => {
    const { trace } = read({ rawHeaders: ['X-Correlation-ID', 'a', 'X-Correlation-ID', 'a'] })
    expect(trace.correlationId).toMatch(UUID)
  })

  it('is used though another one is refused', () => {
    const { trace } = read({ rawHeaders: ['X-Correlation-ID', 'é', 'X-Request-ID', 'req-1'] })
    expect(trace).toEqual({ correlationId: expect.stringMatching(UUID), requestId: 'req-1' })
  })
})

describe('a host', () => {
  it.each([
    'a',
    'api.example',
    'api.example:1',
    '127.0.0.1:65535',
    '[::1]',
    '[::ffff:127.0.0.1]:80',
    'a%20b',
  ])('%s passes', (host) => expect(errorsOf(withHeader('Host', host))).toBeUndefined())

  it.each([
    '',
    'a b',
    'a/b',
    'a:',
    'a:x',
    'a:123456',
    'a@b',
    'a:1:2',
    '[::1',
    '[g::1]',
    '::1',
    'a\\b',
    'x[::1]',
    '[::1]x',
  ])('%j is refused', (host) =>
    expect(errorsOf(withHeader('Host', host))).toEqual([{ field: 'Host', message: 'is not a host' }]),
  )
})

describe('a target', () => {
  it('that has no one meaning is refused, and replaced by the root', () => {
    const head = read({ url: '/a%2fb?c=d' })
    expect([head.path, head.query]).toEqual(['/', ''])
    expect(errorsOf({ url: '/a%2fb' })).toEqual([{ field: 'path', message: expect.stringMatching(/\S/) }])
  })

  it('of CONNECT is no path: the method is not allowed, and the connection ends', () => {
    const { headFault, ...head } = read({ method: 'CONNECT', url: 'example.com:443' })
    expect(headFault).toMatchObject({ code: 'METHOD_NOT_ALLOWED' })
    expect(head).toMatchObject({ method: 'CONNECT', path: '/', query: '', endsConnection: true })
  })
})

describe('a body', () => {
  const framing = (method: string, name: string, value: string) => ({ method, ...withHeader(name, value) })
  const chunked = ['Transfer-Encoding', 'chunked'] as const

  it.each([
    ['POST', ...chunked],
    ['POST', 'Transfer-Encoding', 'Chunked'],
    ['POST', 'Content-Length', '5'],
    ['DELETE', 'Content-Length', '5'],
    ['GET', 'Content-Length', '0'],
  ])('of %s with %s: %s is framed', (method, name, value) => {
    const { headFault, endsConnection } = read(framing(method, name, value))
    expect([headFault, endsConnection]).toEqual([undefined, false])
  })

  it.each([
    ['GET', ...chunked, 'body', 'is not allowed with GET'],
    ['HEAD', ...chunked, 'body', 'is not allowed with HEAD'],
    ['TRACE', 'Content-Length', '1', 'body', 'is not allowed with TRACE'],
    ['GET', 'Content-Length', '00', 'body', 'is not allowed with GET'],
    ['POST', 'Transfer-Encoding', 'gzip', 'Transfer-Encoding', 'must be chunked or absent'],
    ['POST', 'Transfer-Encoding', 'gzip, chunked', 'Transfer-Encoding', 'must be chunked or absent'],
    ['POST', 'Transfer-Encoding', '', 'Transfer-Encoding', 'must be chunked or absent'],
  ])('of %s with %s: %s ends its connection', (method, name, value, field, message) => {
    expect(errorsOf(framing(method, name, value))).toEqual([{ field, message }])
    expect(read(framing(method, name, value)).endsConnection).toBe(true)
  })

  it('in chunks is nothing that HTTP/1.0 knows', () => {
    const old = { ...framing('POST', ...chunked), httpVersion: '1.0' }
    expect(errorsOf(old)).toEqual([{ field: 'Transfer-Encoding', message: 'needs HTTP/1.1' }])
    expect(read(old).endsConnection).toBe(true)
  })

  it('with a length is known to HTTP/1.0', () => {
    const old = { ...framing('POST', 'Content-Length', '5'), httpVersion: '1.0' }
    expect([errorsOf(old), read(old).endsConnection]).toEqual([undefined, false])
  })
})

test('another version is refused and ends its connection', () => {
  expect(errorsOf({ httpVersion: '1.2' })).toEqual([{ field: 'protocol', message: 'must be HTTP/1.1' }])
  expect(read({ httpVersion: '1.2' }).endsConnection).toBe(true)
})

test('an upgrade that is not followed ends its connection, and is no fault', () => {
  const { headFault, endsConnection } = read(withHeader('Upgrade', 'websocket'))
  expect([headFault, endsConnection]).toEqual([undefined, true])
})

test('a head that is wrong in other ways keeps its connection', () => {
  expect(read(withHeader('Host', 'a b')).endsConnection).toBe(false)
})
