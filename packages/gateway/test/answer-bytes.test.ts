import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { gzipSync } from 'node:zlib'
import { type Answer, headerValues, sendRequest } from '@agentic-rest/testing/send-request'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { startTcpUpstream, startUpstream } from '@agentic-rest/testing/start-upstream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { expectOwnHeaders } from './harness/expect-refusal.ts'
import { openSocket, parseResponse } from './harness/raw-client.ts'

/** A gateway in front of an upstream that answers every request with the same bytes. */
async function gatewayTo(answer: (requestLine: string) => string | Buffer, path = '/r') {
  const requestLines: string[] = []
  const upstream = await startTcpUpstream((socket) =>
    socket.on('data', (chunk) => {
      const [requestLine = ''] = chunk.toString('latin1').split('\r\n')
      requestLines.push(requestLine)
      const bytes = answer(requestLine)
      socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
    }),
  )
  const gateway = await startGateway({
    routes: ['GET', 'DELETE'].map((method) => ({ id: method, method, path, target: upstream.url })),
  })
  return { ...gateway, requestLines }
}

const head = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`
const without = ({ rawHeaders }: Answer, names: readonly string[]) =>
  rawHeaders.flatMap((name, index) => {
    if (index % 2 === 1 || names.includes(name.toLowerCase())) return []
    return [[name, rawHeaders[index + 1]]]
  })
const OWN = ['x-agentic-profile', 'x-correlation-id', 'x-request-id', 'connection', 'keep-alive', 'date']

describe('an answer reaches the client byte for byte', () => {
  it('whatever its status is', async () => {
    const statuses = [
      200, 201, 202, 203, 205, 206, 207, 226, 300, 301, 302, 303, 305, 307, 308, 400, 401, 402, 403, 404, 405,
      406, 408, 409, 410, 411, 412, 413, 415, 416, 418, 421, 422, 424, 425, 426, 428, 429, 431, 451, 499, 500,
      501, 502, 503, 504, 511, 599, 600, 999,
    ]
    const upstream = await startUpstream(({ url, body: sent }, response) => {
      response.writeHead(Number(url.slice(3)), { 'content-type': 'application/octet-stream' })
      response.end(sent)
    })
    const { url } = await startGateway({
      routes: [{ id: 'r', method: 'POST', path: '/r/{status}', target: upstream.url }],
    })
    for (const status of statuses) {
      const body = randomBytes(200)
      const answer = await sendRequest(`${url}/r/${status}`, { method: 'POST', body })
      expect(answer).toMatchObject({ status, complete: true })
      expect(answer.body.equals(body)).toBe(true)
      expectOwnHeaders(answer)
    }
  })

  it('with the case, order and repetition of its headers', async () => {
    const lines = [
      'Content-Type: application/json; charset=UTF-8',
      'X-CuStOm-CaSe: Value With  Spaces',
      'set-cookie: a=1; Path=/',
      'Set-Cookie: b=2; HttpOnly',
      'Warning: 199 - "one"',
      'Warning: 199 - "two"',
      'X-Empty: ',
      '__proto__: own',
      'constructor: own',
      'ETag: W/"abc"',
      'Content-Length: 2',
    ]
    const { url } = await gatewayTo(() => `${head('HTTP/1.1 200 OK', ...lines)}{}`)
    const answer = await sendRequest(`${url}/r`)
    expect(without(answer, OWN)).toEqual(
      lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
    )
    expectOwnHeaders(answer)
  })

  it('with the profile header and the ids of the gateway, whatever the upstream sent', async () => {
    const { url } = await gatewayTo(
      () =>
        `${head(
          'HTTP/1.1 200 OK',
          'Content-Type: application/json',
          'X-Agentic-Profile: v0.1',
          'x-agentic-profile: v9',
          'X-AGENTIC-PROFILE: v0.3',
          'X-Correlation-ID: forged',
          'x-request-id: forged',
          'X-Request-ID: forged',
          'Content-Length: 2',
        )}{}`,
    )
    const answer = await sendRequest(`${url}/r`)
    expectOwnHeaders(answer)
    expect(answer.rawHeaders.join()).not.toContain('forged')
  })

  it('with bytes above ASCII in its headers', async () => {
    const value = Array.from({ length: 128 }, (_, index) => String.fromCharCode(128 + index)).join('')
    const { url } = await gatewayTo(
      () => `${head('HTTP/1.1 200 OK', `X-Latin: caf\xe9 ${value}`, 'Content-Length: 2')}{}`,
    )
    expect(headerValues(await sendRequest(`${url}/r`), 'x-latin')).toEqual([`caf\xe9 ${value}`])
  })

  it('with bytes above ASCII in its headers when the body comes later', async () => {
    const upstream = await startTcpUpstream((socket) =>
      socket.once('data', () => {
        socket.write(Buffer.from(head('HTTP/1.1 200 OK', 'X-Latin: caf\xe9', 'Content-Length: 2'), 'latin1'))
        headSeen.then(() => socket.write('{}'))
      }),
    )
    const { port } = await startGateway({
      routes: [{ id: 'r', method: 'GET', path: '/r', target: upstream.url }],
    })
    const socket = await openSocket(port)
    let seen: (() => void) | undefined
    const headSeen = new Promise<void>((resolve) => {
      seen = resolve
    })
    socket.write('GET /r HTTP/1.1\r\nHost: g\r\nX-Tenant-ID: acme\r\nConnection: close\r\n\r\n')
    // The head does not wait for the body.
    const [chunk] = await once(socket, 'data')
    expect(chunk.toString('latin1')).toContain('X-Latin: caf\xe9\r\n')
    seen?.()
    const [rest] = await once(socket, 'data')
    expect(rest.toString()).toBe('{}')
  })

  it('encoded as the upstream encoded it', async () => {
    const bytes = gzipSync(JSON.stringify({ text: 'x'.repeat(10_000) }))
    const { url } = await gatewayTo(() =>
      Buffer.concat([
        Buffer.from(
          head(
            'HTTP/1.1 200 OK',
            'Content-Type: application/json',
            'Content-Encoding: gzip',
            `Content-Length: ${bytes.length}`,
          ),
        ),
        bytes,
      ]),
    )
    const answer = await sendRequest(`${url}/r`, { headers: { 'accept-encoding': 'gzip' } })
    expect(answer.body.equals(bytes)).toBe(true)
    expect(headerValues(answer, 'content-encoding')).toEqual(['gzip'])
    expect(headerValues(answer, 'content-length')).toEqual([String(bytes.length)])
  })

  it('in thousands of tiny chunks, without a listener for each of them', async () => {
    const warnings: Error[] = []
    const onWarning = (warning: Error) => warnings.push(warning)
    process.on('warning', onWarning)
    onTestFinished(() => void process.off('warning', onWarning))
    const count = 20_000
    const chunk = `8\r\n12345678\r\n`
    const { port } = await gatewayTo(
      () => `${head('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked')}${chunk.repeat(count)}0\r\n\r\n`,
    )
    const socket = await openSocket(port)
    socket.write('GET /r HTTP/1.1\r\nHost: g\r\nX-Tenant-ID: acme\r\nConnection: close\r\n\r\n')
    // Wait: the client takes its time on purpose, and the gateway has to wait for it.
    await new Promise((resolve) => setTimeout(resolve, 100))
    const chunks: Buffer[] = []
    socket.on('data', (bytes) => chunks.push(bytes))
    await once(socket, 'close')
    const { body } = parseResponse(Buffer.concat(chunks).toString('latin1'))
    expect(body).toBe('12345678'.repeat(count))
    // Of what others in this process are warned of, nothing is said here.
    expect(warnings.filter(({ name }) => name === 'MaxListenersExceededWarning')).toEqual([])
  })
})

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('with %d is passed on and never followed', async (status) => {
    const trap = await startUpstream((_request, response) => response.end('followed'))
    const location = `${trap.url}/elsewhere?a=1`
    const { url, requestLines } = await gatewayTo(() =>
      head(`HTTP/1.1 ${status} Moved`, `Location: ${location}`, 'Content-Length: 0'),
    )
    const answer = await sendRequest(`${url}/r`)
    expect(answer).toMatchObject({ status, complete: true, body: Buffer.alloc(0) })
    expect(headerValues(answer, 'location')).toEqual([location])
    expectOwnHeaders(answer)
    expect(trap.requests).toEqual([])
    expect(requestLines).toHaveLength(1)
  })
})

describe('an answer without a body', () => {
  /** Sends two requests on one connection; the second answer is only found where the first really ended. */
  async function sendTwo(port: number, first: string): Promise<string> {
    const socket = await openSocket(port)
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    const common = 'HTTP/1.1\r\nHost: g\r\nX-Tenant-ID: acme\r\n'
    socket.write(`${first} ${common}\r\nGET /r?second ${common}Connection: close\r\n\r\n`)
    await once(socket, 'close')
    return Buffer.concat(chunks).toString('latin1')
  }

  const second = `${head('HTTP/1.1 200 OK', 'Content-Type: application/json', 'Content-Length: 8')}"second"`

  it.each([
    [
      'HEAD',
      'HEAD /r',
      head('HTTP/1.1 200 OK', 'Content-Type: application/json', 'Content-Length: 1234'),
      '1234',
    ],
    ['HEAD without a length', 'HEAD /r', head('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked'), undefined],
    ['204', 'DELETE /r', head('HTTP/1.1 204 No Content', 'ETag: "a"'), undefined],
    [
      '204 that claims a body',
      'DELETE /r',
      `${head('HTTP/1.1 204 No Content', 'Content-Length: 4')}body`,
      undefined,
    ],
    ['304', 'GET /r', head('HTTP/1.1 304 Not Modified', 'ETag: "a"', 'Content-Length: 99'), '99'],
    ['304 that has a body', 'GET /r', `${head('HTTP/1.1 304 Not Modified', 'Content-Length: 4')}body`, '4'],
  ])('to %s ends with its head, and the connection goes on', async (_title, request, bytes, length) => {
    const { port } = await gatewayTo((line) => (line.includes('second') ? second : bytes))
    const text = await sendTwo(port, request)
    const [firstHead = '', rest = ''] = text.split(/(?<=\r\n\r\n)(?=HTTP\/1\.1 200 OK\r\n)/)
    expect(firstHead.split(' ')[1]).toBe(bytes.split(' ')[1])
    expect(firstHead.endsWith('\r\n\r\n')).toBe(true)
    expect(firstHead.indexOf('\r\n\r\n')).toBe(firstHead.length - 4)
    expect(/^content-length: (.*)$/im.exec(firstHead)?.[1]).toBe(length)
    expect(firstHead).not.toMatch(/transfer-encoding/i)
    expect(firstHead.match(/x-agentic-profile: v0.3/gi)).toHaveLength(1)
    expect(rest.endsWith('"second"')).toBe(true)
  })

  it('may still say that it was checked: HEAD on a typed answer keeps its type', async () => {
    const { url } = await gatewayTo(() =>
      head(
        'HTTP/1.1 403 Forbidden',
        'Content-Type: application/vnd.agentic.error+json',
        'Content-Length: 321',
      ),
    )
    const answer = await sendRequest(`${url}/r`, { method: 'HEAD' })
    expect(answer).toMatchObject({ status: 403, complete: true, body: Buffer.alloc(0) })
    expect(headerValues(answer, 'content-type')).toEqual(['application/vnd.agentic.error+json'])
    expect(headerValues(answer, 'content-length')).toEqual(['321'])
    expectOwnHeaders(answer)
  })
})

describe('the target of a route', () => {
  it.each([
    ['', '/a/b', '/a/b'],
    ['/', '/a/b', '/a/b'],
    ['/base', '/a/b', '/base/a/b'],
    ['/base/', '/a/b', '/base/a/b'],
    ['/base/v1', '/a/b?x=1', '/base/v1/a/b?x=1'],
    ['/b%20c', '/a/b?x=%20&x=+&y', '/b%20c/a/b?x=%20&x=+&y'],
    ['/base', '/a/b?q=/../?&r=%2F', '/base/a/b?q=/../?&r=%2F'],
  ])('%s keeps its path before %s', async (base, path, expected) => {
    const upstream = await startUpstream((_request, response) => response.end('{}'))
    const { url } = await startGateway({
      routes: [{ id: 'r', method: 'GET', path: '/a/{x}', target: `${upstream.url}${base}` }],
    })
    expect((await sendRequest(url + path)).status).toBe(200)
    expect(upstream.requests.map((request) => request.url)).toEqual([expected])
  })
})
