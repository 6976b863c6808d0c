import { once } from 'node:events'
import { createServer, get, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eventually } from '@agentic-rest/testing/eventually'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { expect, it, onTestFinished } from 'vitest'
import { startDnsServer } from './dns-server.ts'
import { startBalanced } from './start-targets.ts'

/** A service on an address of this machine; `/s` begins a stream that the test ends. */
async function startOn(host: string, port = 0) {
  const streams: ServerResponse[] = []
  const hosts: (string | undefined)[] = []
  const server = createServer((request, response) => {
    hosts.push(request.headers.host)
    if (request.url !== '/s') return void response.end(host)
    response.write('begun ')
    streams.push(response)
  }).listen(port, host)
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const connections = () =>
    new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)))
  return { port: (server.address() as AddressInfo).port, streams, hosts, connections }
}

it('follows the addresses of a name; streams at an old one are left alone and then its connections close', async () => {
  const old = await startOn('127.0.0.1')
  const { port } = old
  const next = await startOn('127.0.0.2', port)
  const dns = await startDnsServer(['127.0.0.1'])
  const { url } = await startBalanced(
    { dns: { name: 'service.test', port, refresh_seconds: 1, server: dns.address } },
    { path: '/{part}' },
  )
  const answerOf = async () => (await sendRequest(`${url}/r`)).body.toString()
  // The first request waits for the first look-up.
  expect(await answerOf()).toBe('127.0.0.1')
  const stream = get(`${url}/s`, { headers: { 'x-tenant-id': 'acme' } })
  const [response] = await once(stream, 'response')
  response.setEncoding('utf8')
  await once(response, 'readable')

  dns.addresses = ['127.0.0.2']
  await eventually(answerOf, (host) => host === '127.0.0.2')
  for (let request = 0; request < 10; request += 1) expect(await answerOf()).toBe('127.0.0.2')
  expect(new Set([...old.hosts, ...next.hosts])).toEqual(new Set([`service.test:${port}`]))

  expect(old.streams).toHaveLength(1)
  old.streams[0]?.end('ended')
  let text = ''
  for await (const chunk of response) text += chunk
  expect(text).toBe('begun ended')
  await eventually(old.connections, (count) => count === 0)
})

it('keeps the known addresses while the name cannot be resolved, and says so', async () => {
  const service = await startOn('127.0.0.1')
  const dns = await startDnsServer(['127.0.0.1'])
  const { url, log } = await startBalanced({
    dns: { name: 'service.test', port: service.port, refresh_seconds: 1, server: dns.address },
  })
  expect((await sendRequest(`${url}/r`)).status).toBe(200)
  dns.addresses = []
  const degraded = async () => JSON.parse((await sendRequest(`${url}/readyz`)).body.toString()).degraded
  const reasons = await eventually(degraded, (found) => found.length > 0)
  expect(reasons).toEqual(['upstream service: its name cannot be resolved'])
  expect((await sendRequest(`${url}/r`)).status).toBe(200)
  expect(log.filter(({ upstream }) => upstream === 'service')).toHaveLength(1)
  dns.addresses = ['127.0.0.1']
  await eventually(degraded, (found) => found.length === 0)
})

it('a name that was never resolved is answered with 424 and Retry-After', async () => {
  const dns = await startDnsServer([])
  const { url } = await startBalanced({
    dns: { name: 'service.test', port: 9, refresh_seconds: 7, server: dns.address },
  })
  const answer = await sendRequest(`${url}/r`)
  expect([answer.status, answer.headers['retry-after']]).toEqual([424, '7'])
})
