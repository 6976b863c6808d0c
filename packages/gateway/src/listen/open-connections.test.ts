import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { duplexPair } from 'node:stream'
import { DiscardedBodies } from '@agentic-rest/http1'
import { expect, it, onTestFinished } from 'vitest'
import { acceptRequest, acceptStream, createSpanIds } from './accept-request.ts'
import { OpenConnections } from './open-connections.ts'

it('a socket without the parts of Node that are not documented is served too', async () => {
  const server = createServer()
  const nextSpanId = createSpanIds()
  const options = { maxBodyBytes: 1000, corsOrigins: undefined, nextSpanId, date: () => 'today' }
  const open = new OpenConnections({
    limits: { maxHeadBytes: 16_384, maxHeaders: 100, maxStreams: 100 },
    timeouts: { headersMs: 10_000, requestMs: 60_000 },
    discarded: new DiscardedBodies(),
    date: () => 'today',
    accept: (arrived) => acceptRequest(arrived, options),
    acceptStream: (arrived) => acceptStream(arrived, options),
    handle({ path, reply }) {
      reply.head(200, ['X-Path', path, 'Content-Length', '0'])
      reply.end()
    },
    refused: () => undefined,
    isDraining: () => false,
    keepsPromises: () => true,
    isOutdated: () => false,
  })
  onTestFinished(() => open.close())
  open.serve(server, false)
  const [client, accepted] = duplexPair()
  Object.assign(accepted, { remoteAddress: '192.0.2.1' })
  // As the server does with `pauseOnConnect`.
  accepted.pause()
  server.emit('connection', accepted as unknown as Socket)
  client.write('GET /served HTTP/1.1\r\nHost: gateway\r\n\r\n')
  const [answer] = await once(client, 'data')
  expect(String(answer)).toContain('HTTP/1.1 200 OK\r\nX-Path: /served\r\n')
  expect(open.sockets.size).toBe(1)
})
