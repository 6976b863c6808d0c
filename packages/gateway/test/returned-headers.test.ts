import type { OutgoingHttpHeaders } from 'node:http'
import { headerValues } from '@agentic-rest/testing/send-request'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { startServer } from '@agentic-rest/testing/start-server'
import { startTcpUpstream } from '@agentic-rest/testing/start-upstream'
import { describe, expect, it } from 'vitest'
import { expectRefusal } from './harness/expect-outcome.ts'
import { openConnection } from './harness/raw-connection.ts'

const ids = 'X-Correlation-ID: c\r\nX-Request-ID: r\r\n'

async function ask(target: string, method = 'GET') {
  const { port } = await startGateway({
    routes: [{ id: 'r', method: 'GET', path: '/r', target }],
  })
  const { send, response } = await openConnection(port)
  send(`${method} /r HTTP/1.1\r\nHost: gateway\r\nX-Tenant-ID: acme\r\n${ids}\r\n`)
  return await response({ bodyless: method === 'HEAD' })
}

async function askFor(headers: OutgoingHttpHeaders | readonly string[], body = '{}') {
  const upstream = await startServer((_request, response) => {
    response.writeHead(200, headers as OutgoingHttpHeaders)
    response.end(body)
  })
  return await ask(upstream.url)
}

/** An upstream that sends exactly these bytes. */
async function askBytes(bytes: string, method = 'GET') {
  const upstream = await startTcpUpstream((socket) => {
    socket.once('data', () => socket.end(Buffer.from(bytes, 'latin1')))
  })
  return await ask(upstream.url, method)
}

describe('the headers that the client gets', () => {
  it('are those of the upstream, with their spelling, order and repetition', async () => {
    const answer = await askFor([
      'Content-Type',
      'text/plain',
      'X-Mixed-CASE',
      'one',
      'Set-Cookie',
      'a=1',
      'Set-Cookie',
      'b=2',
      'x-mixed-case',
      'two',
      '__proto__',
      'three',
    ])
    expect(answer.status).toBe(200)
    expect(answer.rawHeaders.slice(0, 12)).toEqual([
      'Content-Type',
      'text/plain',
      'X-Mixed-CASE',
      'one',
      'Set-Cookie',
      'a=1',
      'Set-Cookie',
      'b=2',
      'x-mixed-case',
      'two',
      '__proto__',
      'three',
    ])
  })

  it('name the profile and the ids once, whatever the upstream says about them', async () => {
    const answer = await askFor({
      'content-type': 'application/json',
      'x-agentic-profile': ['v0.1', 'v9'],
      'X-Correlation-ID': 'other',
      'x-request-id': ['other', 'another'],
    })
    expect(headerValues(answer, 'x-agentic-profile')).toEqual(['v0.3'])
    expect(headerValues(answer, 'x-correlation-id')).toEqual(['c'])
    expect(headerValues(answer, 'x-request-id')).toEqual(['r'])
  })

  it('have nothing of the connection to the upstream, nor what its Connection names, in one line or several', async () => {
    const answer = await askBytes(
      [
        'HTTP/1.1 200 OK',
        'Connection: close, X-Hop',
        'Connection: x-other, X-Agentic-Profile',
        'X-Hop: evil',
        'X-Other: evil',
        'Keep-Alive: evil',
        'Proxy-Authenticate: evil',
        'Proxy-Connection: evil',
        'Trailer: evil',
        'Upgrade: evil',
        'TE: evil',
        'Transfer-Encoding: chunked',
        'X-Kept: kept',
        'Content-Type: text/plain',
        '',
        '2\r\nok\r\n0\r\nX-Late: evil\r\n\r\n',
      ].join('\r\n'),
    )
    expect(answer.status).toBe(200)
    expect(answer.rawHeaders.filter((text) => text === 'evil')).toEqual([])
    expect(headerValues(answer, 'connection')).toEqual(['keep-alive'])
    expect(headerValues(answer, 'x-kept')).toEqual(['kept'])
    expect(headerValues(answer, 'x-agentic-profile')).toEqual(['v0.3'])
    expect(answer.body).toBe('ok')
  })

  it('carry bytes outside ASCII as they came', async () => {
    const answer = await askBytes('HTTP/1.1 200 OK\r\nX-Name: caf\xc3\xa9 \xe9\r\nContent-Length: 0\r\n\r\n')
    expect(headerValues(answer, 'x-name')).toEqual(['caf\xc3\xa9 \xe9'])
  })

  it('have the length of the upstream when it says one, also for HEAD', async () => {
    const bytes = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\n'
    const whole = await askBytes(`${bytes}hello`)
    expect(headerValues(whole, 'content-length')).toEqual(['5'])
    expect(headerValues(whole, 'transfer-encoding')).toEqual([])
    expect(whole.body).toBe('hello')
    const head = await askBytes(bytes, 'HEAD')
    expect(headerValues(head, 'content-length')).toEqual(['5'])
    expect(head.body).toBe('')
  })
})

describe('an upstream that frames its answer in two ways', () => {
  it.each([
    ['length and chunks', 'Content-Length: 50\r\nTransfer-Encoding: chunked'],
    ['chunks and length', 'Transfer-Encoding: chunked\r\nContent-Length: 50'],
    ['two lengths', 'Content-Length: 12\r\nContent-Length: 50'],
  ])('never reaches the client as an answer: %s', async (_title, framing) => {
    const answer = await askBytes(
      `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n${framing}\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
    )
    expectRefusal(answer, 424, 'UPSTREAM_INVALID_RESPONSE')
  })

  it('never reaches the client with a header that could not be sent on', async () => {
    const answer = await askBytes('HTTP/1.1 200 OK\r\nX-Name: a\x01b\r\nContent-Length: 0\r\n\r\n')
    expectRefusal(answer, 424, 'UPSTREAM_INVALID_RESPONSE')
  })
})
