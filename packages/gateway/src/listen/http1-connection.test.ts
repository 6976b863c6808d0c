import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { DiscardedBodies, Http1Connection } from '@agentic-rest/http1'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Exchange } from '../exchange.ts'
import { acceptRequest, createSpanIds } from './accept-request.ts'

/** A connection whose client is the test. */
function connectClient() {
  const listener = { isDraining: false, isOutdated: false, keepsPromises: true }
  let sent = ''
  let held: (() => void)[] | undefined
  const socket = new Duplex({
    read: () => undefined,
    write(chunk: Buffer, _encoding, done) {
      sent += chunk.toString('latin1')
      if (held === undefined) done()
      else held.push(done)
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
    isDraining: () => listener.isDraining,
    keepsPromises: () => listener.keepsPromises,
    isOutdated: () => listener.isOutdated,
  })
  /** The memory of the bytes is used again, as for a socket. */
  const receive = (text: string) => {
    const lent = Buffer.from(text, 'latin1')
    connection.receive(lent, true)
    lent.fill('?')
  }
  /** The client stops reading until the returned function is called. */
  const hold = () => {
    held = []
    return () => {
      const calls = held ?? []
      held = undefined
      for (const done of calls) done()
    }
  }
  return { connection, listener, exchanges, faults, receive, hold, sent: () => sent }
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

  it('have their time from the end of the answer before them', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const { connection, exchanges, faults, receive } = connectClient()
    receive('GET /1 HTTP/1.1\r\nHost: a\r\n\r\n')
    receive('POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab')
    vi.advanceTimersByTime(70_000)
    answer(exchanges[0])
    await nextTurn()
    connection.check(performance.now())
    expect(faults).toEqual([])
    expect(exchanges.map(({ path }) => path)).toEqual(['/1', '/2'])
    vi.advanceTimersByTime(60_001)
    connection.check(performance.now())
    expect(faults).toEqual(['ERR_HTTP_REQUEST_TIMEOUT'])
  })
})

describe('a fault in a body whose answer is given, and not yet sent', () => {
  it('ends the body, and nothing behind it is read as part of it', async () => {
    const { connection, exchanges, faults, receive, hold, sent } = connectClient()
    receive('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n')
    const body = exchanges[0]?.body.read(1000)
    const release = hold()
    answer(exchanges[0])
    receive('3\r\nabcX')
    receive('\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n')
    await expect(body).rejects.toThrow('the client went away before the body was complete')
    release()
    await nextTurn()
    expect(faults).toEqual(['HPE_STRICT'])
    expect(exchanges.map(({ path }) => path)).toEqual(['/'])
    expect(sent().match(/HTTP\/1\.1 /g)).toHaveLength(1)
    expect(connection.socket.writableEnded).toBe(true)
  })
})

describe('a client that waits with its body', () => {
  const waiting = 'POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n'

  it('is not told to go on behind the head of an answer', () => {
    const { exchanges, receive, sent } = connectClient()
    receive(waiting)
    const { reply, body } = exchanges[0] as Exchange
    reply.head(200, [])
    reply.flush()
    body.content()
    reply.end(Buffer.from('x'))
    expect(sent()).not.toContain('100 Continue')
    expect(sent()).toContain('Connection: close\r\n')
  })
})

describe('an answer in parts', () => {
  const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

  it.each([
    { title: 'below the mark of the socket', parts: [9000, 9000] },
    { title: 'above the mark of the socket', parts: [9000, 70_000] },
  ])('waits for a client with more than 16 kB unsent, $title', async ({ parts: [first = 0, second = 0] }) => {
    const { exchanges, receive, hold } = connectClient()
    receive(request)
    const { reply } = exchanges[0] as Exchange
    reply.head(200, [])
    const release = hold()
    expect(reply.write(Buffer.alloc(first))).toBe(true)
    expect(reply.write(Buffer.alloc(second))).toBe(false)
    const goOn = vi.fn()
    reply.onDrain(goOn)
    await nextTurn()
    expect(goOn).not.toHaveBeenCalled()
    release()
    await nextTurn()
    expect(goOn).toHaveBeenCalledOnce()
  })

  it('does not wait for a client that takes a large part at once', () => {
    const { exchanges, receive } = connectClient()
    receive(request)
    const { reply } = exchanges[0] as Exchange
    reply.head(200, [])
    expect(reply.write(Buffer.alloc(70_000))).toBe(true)
  })
})

describe('an answer whose head was sent before the listener drains', () => {
  const request = 'GET /1 HTTP/1.1\r\nHost: a\r\n\r\n'

  /** Ends an answer after its head was sent; `between` happens in the meantime. */
  function answerAround(exchange: Exchange | undefined, between: () => void): void {
    exchange?.reply.head(200, [])
    exchange?.reply.flush()
    between()
    exchange?.reply.end(Buffer.from('x'))
  }

  it('keeps the connection that it promised, for one more request that knows it', () => {
    const { connection, listener, exchanges, receive, sent } = connectClient()
    receive(request)
    answerAround(exchanges[0], () => (listener.isDraining = true))
    expect(connection.socket.writableEnded).toBe(false)
    receive(request)
    expect(exchanges.map(({ isPromised }) => isPromised)).toEqual([false, true])
    answer(exchanges[1])
    expect(sent()).toMatch(/Connection: close\r\n/i)
    expect(connection.socket.writableEnded).toBe(true)
  })

  it('keeps it also for a request that has arrived already, and for no other behind that', async () => {
    const { listener, exchanges, receive } = connectClient()
    receive(request.repeat(3))
    answerAround(exchanges[0], () => (listener.isDraining = true))
    await nextTurn()
    answer(exchanges[1])
    await nextTurn()
    expect(exchanges.map(({ isPromised }) => isPromised)).toEqual([false, true, false])
  })

  it('no longer keeps it when the time of the drain is over', () => {
    const { listener, exchanges, receive } = connectClient()
    receive(request)
    answerAround(exchanges[0], () => (listener.isDraining = true))
    listener.keepsPromises = false
    receive(request)
    expect(exchanges[1]?.isPromised).toBe(false)
  })

  it('promised nothing where it was complete before', () => {
    const { listener, exchanges, receive } = connectClient()
    receive(request)
    answerAround(exchanges[0], () => undefined)
    listener.isDraining = true
    receive(request)
    expect(exchanges[1]?.isPromised).toBe(false)
  })

  it('ends the connection of a stream that was cut for the end of the drain', () => {
    const { connection, listener, exchanges, receive } = connectClient()
    receive(request)
    answerAround(exchanges[0], () => {
      listener.isDraining = true
      exchanges[0]?.signal.cancel('shutdown')
    })
    expect(connection.socket.writableEnded).toBe(true)
  })

  it('ends the connection of a client that the settings no longer admit', () => {
    const { connection, listener, exchanges, receive } = connectClient()
    receive(request)
    answerAround(exchanges[0], () => (listener.isOutdated = true))
    expect(connection.socket.writableEnded).toBe(true)
  })
})
