import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Exchange } from '../../exchange.ts'
import { acceptRequest, createSpanIds } from '../accept-request.ts'
import { DiscardedBodies } from '../discarded-bodies.ts'
import { Http1Connection } from './connection.ts'

/** A connection whose client is the test. */
function connectClient() {
  let sent = ''
  const socket = new Duplex({
    read: () => undefined,
    write(chunk: Buffer, _encoding, done) {
      sent += chunk.toString('latin1')
      done()
    },
  })
  const exchanges: Exchange[] = []
  const faults: string[] = []
  const connection = new Http1Connection(socket as Socket, {
    limits: { maxHeadBytes: 16_384, maxHeaders: 100 },
    timeouts: { headersMs: 10_000, requestMs: 60_000 },
    discarded: new DiscardedBodies(),
    date: () => 'today',
    accept: (arrived) =>
      acceptRequest(arrived, { maxBodyBytes: 1000, corsOrigins: undefined, nextSpanId: createSpanIds() }),
    handle: (exchange) => void exchanges.push(exchange),
    refused: (_connection, { code }) => void faults.push(code),
    isDraining: () => false,
  })
  /** The memory of the bytes is used again, as for a socket. */
  const receive = (text: string) => {
    const lent = Buffer.from(text, 'latin1')
    connection.receive(lent, true)
    lent.fill('?')
  }
  return { connection, socket, exchanges, faults, receive, sent: () => sent }
}

function answer(exchange: Exchange | undefined): void {
  exchange?.reply.head(200, ['Content-Length', '0'])
  exchange?.reply.end()
}

describe('requests that arrive while one is answered', () => {
  const pipelined = [
    'GET /1 HTTP/1.1\r\nHost: a\r\n\r\n',
    'POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nGET /',
    'POST /3 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
    'GET /4 HTTP/1.1\r\nHost: a\r\n\r\n',
  ].join('')

  it.each([1, 7, 20, 50, 90])('keep the order of their bytes in pieces of %i bytes', async (size) => {
    const { exchanges, faults, receive } = connectClient()
    for (let at = 0; at < pipelined.length; at += size) receive(pipelined.slice(at, at + size))
    const bodies: string[] = []
    for (let index = 0; index < 4; index += 1) {
      bodies.push(String(await exchanges[index]?.body.read(1000)))
      answer(exchanges[index])
      await nextTurn()
    }
    expect(faults).toEqual([])
    expect(exchanges.map(({ path }) => path)).toEqual(['/1', '/2', '/3', '/4'])
    expect(bodies).toEqual(['', 'GET /', 'abc', ''])
  })
})
