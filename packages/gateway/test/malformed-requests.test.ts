import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { describe, expect, it } from 'vitest'
import { expectBare, expectInvalid } from './harness/expect-outcome.ts'
import { parseResponse, sendRaw } from './harness/raw-client.ts'
import { openConnection } from './harness/raw-connection.ts'

async function start() {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: { ok: true } }))
  const { port, audit, metrics } = await startGateway({
    routes: [
      { id: 'read', method: 'GET', path: '/r', target: upstream.url },
      { id: 'write', method: 'POST', path: '/r', target: upstream.url },
    ],
  })
  return { upstream, port, audit, metrics }
}

const host = 'Host: gateway\r\nX-Tenant-ID: acme\r\n'
const post = (headers: string, body = '') => `POST /r HTTP/1.1\r\n${host}${headers}\r\n${body}`
const get = (headers: string) => `GET /r HTTP/1.1\r\n${host}${headers}\r\n`
const smuggled = '0\r\n\r\nGET /r HTTP/1.1\r\nHost: gateway\r\nX-Tenant-ID: globex\r\n\r\n'

const heads: readonly (readonly [string, string])[] = [
  [
    'Content-Length before Transfer-Encoding',
    post('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', smuggled),
  ],
  [
    'Transfer-Encoding before Content-Length',
    post('Transfer-Encoding: chunked\r\nContent-Length: 5\r\n', smuggled),
  ],
  ['two different lengths', post('Content-Length: 5\r\nContent-Length: 6\r\n', 'hello')],
  ['the same length twice', post('Content-Length: 5\r\nContent-Length: 5\r\n', 'hello')],
  ['a list of lengths', post('Content-Length: 5, 5\r\n', 'hello')],
  ['a length with a plus', post('Content-Length: +5\r\n', 'hello')],
  ['a negative length', post('Content-Length: -5\r\n', 'hello')],
  ['a hexadecimal length', post('Content-Length: 0x5\r\n', 'hello')],
  ['an empty length', post('Content-Length: \r\n', 'hello')],
  ['a length with a letter', post('Content-Length: 5a\r\n', 'hello')],
  ['a length with a blank inside', post('Content-Length: 5 5\r\n', 'hello')],
  ['a length beyond 64 bits', post('Content-Length: 99999999999999999999\r\n', 'hello')],
  ['chunked twice', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', smuggled)],
  ['chunked that is not last', post('Transfer-Encoding: chunked, gzip\r\n', smuggled)],
  ['a vertical tab before chunked', post('Transfer-Encoding: \x0bchunked\r\n', smuggled)],
  ['a blank before the colon', post('Transfer-Encoding : chunked\r\n', smuggled)],
  ['a header continued on the next line', get('X-Tenant-ID: acme\r\n globex\r\n')],
  ['a first header line that starts with a blank', `GET /r HTTP/1.1\r\n ${host}\r\n`],
  ['a header name with a blank', get('X Tenant ID: globex\r\n')],
  ['a header without a name', get(': globex\r\n')],
  ['a header without a colon', get('X-Tenant-ID\r\n')],
  ['NUL in a header value', get('X-Note: a\0b\r\n')],
  ['a lone carriage return in a header value', get('X-Note: a\rX-Tenant-ID: globex\r\n')],
  ['lines that end without carriage return', 'GET /r HTTP/1.1\nHost: gateway\n\n'],
  ['lines that end without newline', 'GET /r HTTP/1.1\rHost: gateway\r\r'],
  ['a control character in the target', `GET /r\x01 HTTP/1.1\r\n${host}\r\n`],
  ['a byte outside ASCII in the target', `GET /r\xe9 HTTP/1.1\r\n${host}\r\n`],
  ['a blank in the target', `GET /r r HTTP/1.1\r\n${host}\r\n`],
  ['a relative target', `GET r HTTP/1.1\r\n${host}\r\n`],
  ['a method in lower case', `get /r HTTP/1.1\r\n${host}\r\n`],
  ['an unknown method', `FETCH /r HTTP/1.1\r\n${host}\r\n`],
  ['a version that does not exist', `GET /r HTTP/1.2\r\n${host}\r\n`],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a TLS handshake on the plain port', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['no HTTP at all', 'hello\r\n\r\n'],
]

describe('a head that the parser refuses', () => {
  it.each(heads)('is a bare 400 without a request: %s', async (_title, bytes) => {
    const { port, upstream, audit } = await start()
    expectBare(await sendRaw(port, Buffer.from(bytes, 'latin1')), 400)
    expect(upstream.requests).toHaveLength(0)
    expect(audit).toHaveLength(0)
  })

  it('is a 400 with the end of the connection when HTTP/1.1 comes without Host', async () => {
    const { port, upstream } = await start()
    const { status, headers, body } = parseResponse(await sendRaw(port, 'GET /r HTTP/1.1\r\n\r\n'))
    expect({ status, connection: headers['connection'], type: headers['content-type'], body }).toEqual({
      status: 400,
      connection: 'close',
      type: undefined,
      body: '',
    })
    expect(upstream.requests).toHaveLength(0)
  })

  it('takes what is pipelined behind it along when it is one without Host', async () => {
    const { port, upstream, metrics } = await start()
    const text = await sendRaw(port, `${get('')}GET /r HTTP/1.1\r\nX-Tenant-ID: acme\r\n\r\n${get('')}`)
    const answers = text.split(/(?=HTTP\/1\.1 )/).map(parseResponse)
    expect(answers.map(({ status }) => status)).toEqual([200, 400])
    expect(answers[1]?.headers['connection']).toBe('close')
    expect(upstream.requests).toHaveLength(1)
    expect(await metrics()).toMatch(/^agentic_gateway_requests_in_flight 0$/m)
  })

  it('is a bare 400 when the client ends in the middle of it', async () => {
    const { port } = await start()
    const { socket, closed } = await openConnection(port)
    socket.end('GET /r HTTP/1.1\r\nHost: gate')
    expectBare(await closed(), 400)
  })
})

const chunkTricks: readonly (readonly [string, string])[] = [
  ['a size line that ends without carriage return', '5\nhello\r\n0\r\n\r\n'],
  ['a blank behind the size', '5 \r\nhello\r\n0\r\n\r\n'],
  ['a size with 0x', '0x5\r\nhello\r\n0\r\n\r\n'],
  ['a negative size', '-5\r\nhello\r\n0\r\n\r\n'],
  ['a size with a plus', '+5\r\nhello\r\n0\r\n\r\n'],
  ['a size with an underscore', '0_5\r\nhello\r\n0\r\n\r\n'],
  ['a size beyond 64 bits', 'fffffffffffffffff\r\nhello\r\n0\r\n\r\n'],
  ['no size', '\r\nhello\r\n0\r\n\r\n'],
  ['data longer than its size', '5\r\nhelloworld\r\n0\r\n\r\n'],
  ['data without a line end', '5\r\nhello0\r\n\r\n'],
  ['data that ends without carriage return', '5\r\nhello\n0\r\n\r\n'],
  ['two other bytes where the line end belongs', '5\r\nhelloXX0\r\n\r\n'],
  ['a newline in a quoted extension', '5;a="\n"\r\nhello\r\n0\r\n\r\n'],
  ['a last line end without carriage return', '5\r\nhello\r\n0\r\n\n'],
]

describe('a chunked body that the parser refuses', () => {
  it.each(chunkTricks)(
    'is a bare 400, and no complete request reaches the upstream: %s',
    async (_title, body) => {
      const { port, upstream } = await start()
      expectBare(await sendRaw(port, post('Transfer-Encoding: chunked\r\n', body)), 400)
      expect(upstream.requests).toHaveLength(0)
    },
  )

  it('is a bare 413 when an extension of a chunk has no end', async () => {
    const { port, upstream } = await start()
    const body = `5;${'a'.repeat(20_000)}\r\nhello\r\n0\r\n\r\n`
    expectBare(await sendRaw(port, post('Transfer-Encoding: chunked\r\n', body)), 413)
    expect(upstream.requests).toHaveLength(0)
  })
})

describe('a transfer coding that only the parser understands', () => {
  it.each([
    ['gzip, chunked'],
    ['gzip,chunked'],
    ['identity'],
    ['gzip'],
    ['xchunked'],
    ['chunked;q=1'],
    ['"chunked"'],
  ])('is refused by name and ends the connection: %s', async (coding) => {
    const { port, upstream } = await start()
    const { send, response, closed } = await openConnection(port)
    send(post(`Transfer-Encoding: ${coding}\r\n`, smuggled))
    const answer = await response()
    expectInvalid(answer, [{ field: 'Transfer-Encoding', message: 'must be chunked or absent' }])
    expect(answer.headers['connection']).toBe('close')
    expect(await closed()).toBe('')
    expect(upstream.requests).toHaveLength(0)
  })

  it('is refused with HTTP/1.0, whose servers would read another body', async () => {
    const { port, upstream } = await start()
    const bytes = `POST /r HTTP/1.0\r\n${host}Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n${smuggled}`
    const answer = parseResponse(await sendRaw(port, bytes))
    expectInvalid(answer, [{ field: 'Transfer-Encoding', message: 'needs HTTP/1.1' }])
    expect(answer.headers['connection']).toBe('close')
    expect(upstream.requests).toHaveLength(0)
  })

  it('is chunked in any case', async () => {
    const { port, upstream } = await start()
    const { send, response } = await openConnection(port)
    send(post('Transfer-Encoding: CHUNKED\r\n', '5\r\nhello\r\n0\r\n\r\n'))
    expect((await response()).status).toBe(200)
    expect(upstream.requests[0]?.body.toString()).toBe('hello')
  })
})

describe('a version that the parser lets pass', () => {
  it.each(['0.9', '2.0'])('is refused by name and ends the connection: HTTP/%s', async (version) => {
    const { port, upstream } = await start()
    const answer = parseResponse(await sendRaw(port, `GET /r HTTP/${version}\r\n${host}\r\n`))
    expectInvalid(answer, [{ field: 'protocol', message: 'must be HTTP/1.1' }])
    expect(answer.headers['connection']).toBe('close')
    expect(upstream.requests).toHaveLength(0)
  })

  it('is refused when none is said, as in the days before headers', async () => {
    const { port, upstream } = await start()
    const answer = parseResponse(await sendRaw(port, 'GET /r\r\n\r\n'))
    expectInvalid(answer, [{ field: 'protocol', message: 'must be HTTP/1.1' }])
    expect(upstream.requests).toHaveLength(0)
  })

  it('is served when it is HTTP/1.0, also without Host', async () => {
    const { port, upstream } = await start()
    const answer = parseResponse(await sendRaw(port, 'GET /r HTTP/1.0\r\nX-Tenant-ID: acme\r\n\r\n'))
    expect(answer).toMatchObject({ status: 200, body: '{"ok":true}' })
    expect(answer.headers['connection']).toBe('close')
    expect(upstream.requests[0]?.headers['x-forwarded-host']).toBeUndefined()
  })
})

describe('a body where none belongs', () => {
  it.each([
    ['GET', 'Content-Length: 5\r\n', 'hello'],
    ['HEAD', 'Content-Length: 5\r\n', 'hello'],
    ['GET', 'Transfer-Encoding: chunked\r\n', '5\r\nhello\r\n0\r\n\r\n'],
  ])(
    'is refused with %s, and what follows on the connection is not looked at',
    async (method, framing, body) => {
      const { port, upstream, metrics } = await start()
      const { send, response, closed } = await openConnection(port)
      send(`${method} /r HTTP/1.1\r\n${host}${framing}\r\n${body}${get('')}`)
      const answer = await response({ bodyless: method === 'HEAD' })
      if (method === 'HEAD') expect(answer.status).toBe(422)
      else expectInvalid(answer, [{ field: 'body', message: `is not allowed with ${method}` }])
      expect(answer.headers['connection']).toBe('close')
      expect(await closed()).toBe('')
      const next = await openConnection(port)
      next.send(get('X-Correlation-ID: next\r\n'))
      await next.response()
      expect(upstream.requests.map((request) => request.headers['x-correlation-id'])).toEqual(['next'])
      expect(await metrics()).not.toContain('outcome="client_disconnect"')
    },
  )

  it.each(['GET', 'HEAD', 'TRACE'])('with %s, which the path does not have, is a 405', async (method) => {
    const upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
    const { port } = await startGateway({
      routes: [{ id: 'write', method: 'POST', path: '/w', target: upstream.url }],
    })
    const { send, response, closed } = await openConnection(port)
    send(`${method} /w HTTP/1.1\r\n${host}Content-Length: 5\r\n\r\nhello${get('')}`)
    const answer = await response({ bodyless: method === 'HEAD' })
    expect([answer.status, answer.headers['allow'], answer.headers['connection']]).toEqual([
      405,
      'POST',
      'close',
    ])
    expect(await closed()).toBe('')
    expect(upstream.requests).toEqual([])
  })

  it('is none when its length is 0', async () => {
    const { port, upstream } = await start()
    const { send, response } = await openConnection(port)
    send(get('Content-Length: 0\r\n'))
    expect((await response()).status).toBe(200)
    expect(upstream.requests[0]?.headers['content-length']).toBeUndefined()
  })
})

describe('a malformed request', () => {
  it.each([
    ['a method in lower case', `get /r HTTP/1.1\r\n${host}\r\n`, 400, 'HPE_INVALID_METHOD'],
    ['a head without a host', 'GET /r HTTP/1.1\r\n\r\n', 400, 'MISSING_HOST'],
    ['a head that is too large', get(`X-Large: ${'x'.repeat(20_000)}\r\n`), 431, 'HPE_HEADER_OVERFLOW'],
  ])('has its reason in the log and in the metric: %s', async (_name, bytes, status, cause) => {
    const { port, log, metrics } = await startGateway({ routes: [] })
    expect(parseResponse(await sendRaw(port, bytes)).status).toBe(status)
    const lines = () => log.filter(({ msg }) => msg === 'a malformed request was refused')
    await expect.poll(lines).toEqual([
      {
        time: expect.any(String),
        level: 'info',
        msg: 'a malformed request was refused',
        status,
        cause,
        client_address: '127.0.0.1',
      },
    ])
    const counted = `agentic_gateway_malformed_requests_total{status="${status}"} 1`
    expect(await metrics()).toContain(counted)
  })
})
