import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { InitialisationError } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import { createLog } from '../log.ts'
import { createListener, type ListenerOptions } from './listener.ts'

function makeListener(options: Partial<ListenerOptions>) {
  const exchanges: Exchange[] = []
  const listener = createListener({
    host: '127.0.0.1',
    port: 0,
    limits: {
      max_body_bytes: 1000,
      max_header_bytes: 16_384,
      max_headers: 100,
      max_connections: 100,
      max_streams_per_connection: 100,
    },
    corsOrigins: undefined,
    certificate: undefined,
    log: createLog({ level: 'error', pretty: false, write: () => undefined }),
    handle: (exchange) => exchanges.push(exchange),
    ...options,
  })
  onTestFinished(() => listener.close())
  return { listener, exchanges }
}

describe('a body that does not come to its end in time', () => {
  it('is a bare 408, and its exchange is cancelled', async () => {
    const { listener, exchanges } = makeListener({ timeouts: { headersMs: 500, requestMs: 1000 } })
    const socket = connect(await listener.open(), '127.0.0.1')
    socket.write('POST / HTTP/1.1\r\nHost: gateway\r\nContent-Length: 10\r\n\r\nhalf')
    let text = ''
    socket.on('data', (data) => {
      text += data
    })
    await once(socket, 'end')
    socket.destroy()
    expect(text).toBe('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
    expect(exchanges).toHaveLength(1)
    expect(exchanges[0]?.signal.reason).toBe('client_disconnect')
  })
})

describe('a port that cannot be had', () => {
  it('fails the start and names what to change', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    onTestFinished(() => void taken.close())
    const { port } = taken.address() as { port: number }
    await expect(makeListener({ port }).listener.open()).rejects.toThrow(
      new InitialisationError(`port ${port} on 127.0.0.1 is taken: choose another with gateway.port`),
    )
  })

  it('fails the start when the address is not of this machine', async () => {
    await expect(makeListener({ host: '192.0.2.1' }).listener.open()).rejects.toThrow(
      new InitialisationError('cannot listen on 192.0.2.1 port 0 (EADDRNOTAVAIL)'),
    )
  })
})

describe('closing', () => {
  it('ends connections whatever they do, and nothing is left', async () => {
    const { listener } = makeListener({})
    const port = await listener.open()
    const sockets = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    sockets[1]?.write('POST / HTTP/1.1\r\nHost: gateway\r\nContent-Length: 10\r\n\r\nhalf')
    await expect.poll(() => listener.connections).toBe(2)
    const closed = Promise.all(
      sockets.map((socket) => once(socket.on('error', () => undefined).resume(), 'close')),
    )
    await listener.close()
    await closed
    await expect.poll(() => listener.connections).toBe(0)
  })
})
