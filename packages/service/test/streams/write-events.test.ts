import { request as httpRequest, IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { Writable } from 'node:stream'
import { startServer } from '@agentic-rest/testing/start-server'
import { openStream } from '@agentic-rest/testing/stream-client'
import { untilStill } from '@agentic-rest/testing/until-still'
import { describe, expect, it, vi } from 'vitest'
import { writeEvents } from '../../src/http/write-events.ts'
import { EventBody } from '../../src/stream/event-body.ts'

const head = new Response(null, {
  headers: [
    ['Content-Type', 'text/event-stream'],
    ['Set-Cookie', 'a=1'],
    ['Set-Cookie', 'b=2'],
  ],
})

function createBody() {
  const onLeave = vi.fn()
  return { body: new EventBody({ heartbeatSeconds: 0, onLeave }), left: () => onLeave.mock.calls.length }
}

/** A server that writes one body to every request. */
async function start() {
  const created = createBody()
  const writing = Promise.withResolvers<ServerResponse>()
  const { url } = await startServer((_request, outgoing) => {
    writeEvents(head, created.body, outgoing)
    writing.resolve(outgoing)
  })
  return { ...created, url, outgoing: writing.promise }
}

describe('an event stream that is written to a response of Node', () => {
  it('has its head before its first frame, and ends behind its last one', async () => {
    const { body, url, left } = await start()
    const { response, until, ended } = await openStream({ url })
    expect([response.statusCode, response.headers['content-type'], response.headers['set-cookie']]).toEqual([
      200,
      'text/event-stream',
      ['a=1', 'b=2'],
    ])
    expect(await body.push('data: ü\n\n')).toBe(true)
    await until('data: ü\n\n')
    body.end('data: last\n\n')
    expect(await ended).toEqual({ complete: true, text: 'data: ü\n\ndata: last\n\n' })
    await body.taken
    expect([await body.push('late'), left()]).toEqual([false, 0])
  })

  it('is held by a reader that stalls: Node has one frame at most', async () => {
    const { body, url, outgoing } = await start()
    const { response, ended } = await openStream({ url })
    response.pause()
    const frame = `${'x'.repeat(9_999)}\n`
    let pushed = 0
    const run = (async () => {
      while (pushed < 2000 && (await body.push(frame))) pushed += 1
      body.end('last')
    })()
    expect(await untilStill(() => pushed)).toBeLessThan(2000)
    // The frame and the framing of its chunk.
    expect((await outgoing).writableLength).toBeLessThan(frame.length + 20)
    response.resume()
    await run
    expect(await ended).toEqual({ complete: true, text: `${frame.repeat(2000)}last` })
  })

  it('is left by a reader that closes, also while a frame waits', async () => {
    const { body, url, left } = await start()
    const client = await openStream({ url })
    client.response.pause()
    const run = (async () => {
      let isSent = true
      while (isSent) isSent = await body.push('x'.repeat(100_000))
      return left()
    })()
    client.leave()
    expect(await run).toBe(1)
    await body.taken
    body.end('late')
    expect(left()).toBe(1)
  })

  it('is left when the connection fails', async () => {
    const { body, url, outgoing, left } = await start()
    const { ended } = await openStream({ url })
    const response = await outgoing
    response.destroy(new Error('the connection broke'))
    await body.taken
    expect([await body.push('late'), left(), (await ended).complete]).toEqual([false, 1, false])
  })

  it('is left at once when the reader has gone before the head', async () => {
    const { body, left } = createBody()
    const outgoing = new ServerResponse(new IncomingMessage(new Socket()))
    outgoing.destroy()
    writeEvents(head, body, outgoing)
    expect([left(), outgoing.headersSent]).toEqual([1, false])
  })

  it('has no body for HEAD, and its run is told to stop', async () => {
    const { body, url, left } = await start()
    const answer = await new Promise<IncomingMessage>((resolve, reject) =>
      httpRequest(url, { method: 'HEAD' }, resolve).on('error', reject).end(),
    )
    answer.resume()
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'text/event-stream'])
    expect([await body.push('late'), left()]).toEqual([false, 1])
  })

  it('lets other work go on while a reader takes every frame at once', async () => {
    const { body } = createBody()
    const outgoing = new ServerResponse(new IncomingMessage(new Socket()))
    const sink = new Writable({ write: (_bytes, _encoding, done) => done() })
    outgoing.assignSocket(sink as Socket)
    writeEvents(head, body, outgoing)
    let isOtherDone = false
    setImmediate(() => {
      isOtherDone = true
    })
    let pushed = 0
    while (!isOtherDone && pushed < 10_000) {
      await body.push('x')
      pushed += 1
    }
    expect(isOtherDone).toBe(true)
    body.leave()
  })
})
