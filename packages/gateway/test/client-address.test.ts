import { once } from 'node:events'
import { connect } from 'node:net'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, it } from 'vitest'

it('shows an IPv4 client of a listener for both families as IPv4', async () => {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const { url } = await startGateway({
    gateway: { host: '::' },
    routes: [{ id: 'r', method: 'GET', path: '/r', target: upstream.url }],
  })
  expect((await fetch(`${url}/r`, { headers: { 'X-Tenant-ID': 'acme' } })).status).toBe(200)
  expect(upstream.requests[0]?.headers['x-forwarded-for']).toBe('127.0.0.1')
})

it('never forwards a request without the address of its client, not even of one that resets at once', async () => {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const { port, url } = await startGateway({
    routes: [{ id: 'r', method: 'POST', path: '/r', target: upstream.url }],
  })
  const head = 'POST /r HTTP/1.1\r\nHost: gateway\r\nX-Tenant-ID: acme\r\nContent-Length: 0\r\n\r\n'
  const hasty = async () => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    await once(socket, 'connect')
    // The gateway accepts and reads only when both have arrived; the kernel no longer knows the peer then.
    socket.write(head)
    socket.resetAndDestroy()
  }
  for (let round = 0; round < 20; round += 1) await Promise.all([hasty(), hasty(), hasty()])
  expect((await fetch(`${url}/r`, { method: 'POST', headers: { 'X-Tenant-ID': 'acme' } })).status).toBe(200)
  const addresses = upstream.requests.map(({ headers }) => headers['x-forwarded-for'])
  expect(new Set(addresses)).toEqual(new Set(['127.0.0.1']))
})

it('forwards the real client first and then the proxies, if they are trusted', async () => {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const routes = [{ id: 'r', method: 'GET', path: '/r', target: upstream.url }]
  const headers = { 'X-Tenant-ID': 'acme', 'X-Forwarded-For': '192.0.2.66, 203.0.113.7, 10.2.2.2' }
  for (const trusted_proxies of [['127.0.0.1', '10.0.0.0/8'], ['127.0.0.1'], ['10.0.0.0/8'], []]) {
    const { url } = await startGateway({ gateway: { trusted_proxies }, routes })
    expect((await fetch(`${url}/r`, { headers })).status).toBe(200)
  }
  expect(upstream.requests.map(({ headers }) => headers['x-forwarded-for'])).toEqual([
    '203.0.113.7, 10.2.2.2, 127.0.0.1',
    '10.2.2.2, 127.0.0.1',
    '127.0.0.1',
    '127.0.0.1',
  ])
})
