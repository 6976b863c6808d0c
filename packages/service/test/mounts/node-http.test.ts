import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createService } from '../../src/index.ts'
import { openSocket } from '../harness/raw-socket.ts'
import { operations } from './campaign-operations.ts'
import { expectMounted } from './expect-mounted.ts'

async function start(): Promise<{ url: string; port: number }> {
  const service = createService({ operations })
  const server = createServer(service.listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await service.close()
  })
  const { port } = server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}` }
}

it('a service is served by node:http', async () => {
  await expectMounted((await start()).url)
})

it.each([
  ['no Host in HTTP/1.0', 'GET /nothing HTTP/1.0\r\n\r\n', 404],
  [
    'an absolute target',
    'GET http://other.example/nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    404,
  ],
  ['dots that lead out', 'GET /../../nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 404],
  ['a Host that is none', 'GET /nothing HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n', 400],
  ['a target that is no path', 'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 400],
])('%s is answered', async (_title, bytes, status) => {
  const text = await openSocket((await start()).port, bytes)
  expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  // The answer to malformed HTTP has no body: 400 with a body would be a clarification.
  if (status === 400) expect(text.split('\r\n\r\n')[1]).toBe('')
})

it('the globals of the process are left alone', async () => {
  const before = [globalThis.Request, globalThis.Response]
  await start()
  expect([globalThis.Request, globalThis.Response]).toEqual(before)
})
