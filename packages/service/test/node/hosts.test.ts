import { request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { createService, defineOperation, success } from '../../src/index.ts'
import { type ServeOptions, serve } from '../../src/node.ts'
import { openSocket } from '../harness/raw-socket.ts'

const greet = defineOperation({
  id: 'greet',
  method: 'POST',
  path: '/greetings',
  run: () => success({ hello: 'you' }),
})

async function startGreetings(options: Partial<ServeOptions> = {}) {
  const service = createService({ operations: [greet], defaultTenant: 'acme' })
  const { port, stop } = await serve({ fetch: service.fetch, port: 0, closes: [service], ...options })
  onTestFinished(stop)
  return port
}

/** Sends a request with a `Host` of its own. */
async function send(port: number, host: string, path = '/greetings', address = '127.0.0.1') {
  const headers = {
    host,
    'x-correlation-id': 'corr-1',
    'x-request-id': 'req-1',
    'content-type': 'application/json',
  }
  const sent = httpRequest({
    host: address,
    port,
    path,
    method: path === '/greetings' ? 'POST' : 'GET',
    headers,
  })
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; type: string; body: string }>()
  sent.on('error', reject).on('response', async (response) => {
    const { statusCode = 0, headers: received } = response
    resolve({ status: statusCode, type: String(received['content-type']), body: await text(response) })
  })
  sent.end(path === '/greetings' ? '{}' : undefined)
  return promise
}

const refused = {
  type: 'forbidden',
  code: 'HOST_NOT_ALLOWED',
  message: 'The request is for another host.',
  trace: { correlationId: 'corr-1', requestId: 'req-1' },
}

it.each([
  'rebound.example',
  'rebound.example:8081',
  'localhost.rebound.example',
  '10.9.8.7',
  '[2001:db8::1]',
])('a request for %s is refused', async (host) => {
  const port = await startGreetings()
  const { status, type, body } = await send(port, host)
  expect([status, type]).toEqual([403, 'application/vnd.agentic.error+json'])
  expect(JSON.parse(body)).toEqual(refused)
})

it.each([
  ['localhost', '127.0.0.1'],
  ['localhost:1', '127.0.0.1'],
  ['LocalHost', '127.0.0.1'],
  ['127.0.0.1', '127.0.0.1'],
  ['127.0.0.2:80', '127.0.0.2'],
])('a request for %s at %s is answered, on all interfaces', async (host, address) => {
  const port = await startGreetings({ host: '0.0.0.0' })
  expect((await send(port, host, '/greetings', address)).status).toBe(200)
})

it('a request for a named host is answered, with any port', async () => {
  const port = await startGreetings({ hosts: ['campaigns', 'api.example.com'] })
  for (const host of ['campaigns', 'Campaigns:8081', 'api.example.com'])
    expect((await send(port, host)).status).toBe(200)
  expect((await send(port, 'example.com')).status).toBe(403)
})

it('a request in absolute form is judged by the host of its target', async () => {
  const port = await startGreetings()
  const line = (target: string) =>
    openSocket(
      port,
      `POST ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
    )
  expect(await line('http://rebound.example/greetings')).toMatch(/^HTTP\/1\.1 403 /)
  expect(await line('http://localhost/greetings')).toMatch(/^HTTP\/1\.1 200 /)
})

it('HTTP/1.0 without a host is answered, and health for any', async () => {
  const port = await startGreetings()
  expect(await openSocket(port, 'POST /greetings HTTP/1.0\r\nContent-Length: 0\r\n\r\n')).toMatch(
    /^HTTP\/1\.1 200 /,
  )
  expect(await send(port, 'probe.example', '/healthz')).toMatchObject({ status: 200, body: 'ok\n' })
})

it('a host that is no name is refused at the start', async () => {
  await expect(serve({ fetch: () => new Response(), port: 0, hosts: ['http://campaigns'] })).rejects.toThrow(
    'a host is a name or an address without scheme, port and path, not "http://campaigns"',
  )
})
