import { expect, it } from 'vitest'
import { startGateway } from './harness/start-gateway.ts'
import { answerJson, startUpstream } from './harness/start-upstream.ts'

it('shows an IPv4 client of a listener for both families as IPv4', async () => {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const { url } = await startGateway({
    gateway: { host: '::' },
    routes: [{ id: 'r', method: 'GET', path: '/r', target: upstream.url }],
  })
  expect((await fetch(`${url}/r`, { headers: { 'X-Tenant-ID': 'acme' } })).status).toBe(200)
  expect(upstream.requests[0]?.headers['x-forwarded-for']).toBe('127.0.0.1')
})
