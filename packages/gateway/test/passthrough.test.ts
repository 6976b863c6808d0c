import { createHash, randomBytes } from 'node:crypto'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, it } from 'vitest'

const sha = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const tenant = { 'X-Tenant-ID': 'acme' }

it('passes status, body and query through and adds profile and ids', async () => {
  const upstream = await startUpstream((_request, response) =>
    answerJson(response, { status: 201, body: { id: 'o-1' } }),
  )
  const { url } = await startGateway({
    routes: [
      { id: 'create', method: 'POST', path: '/campaigns/{id}/optimizations', target: `${upstream.url}/base` },
    ],
  })
  const response = await fetch(`${url}/campaigns/c%201/optimizations?a=1&b=%20`, {
    method: 'POST',
    headers: {
      ...tenant,
      'X-Correlation-ID': 'corr',
      'X-Request-ID': 'req',
      'Content-Type': 'application/json',
    },
    body: '{"goal":"ctr"}',
  })
  expect(response.status).toBe(201)
  expect(await response.json()).toEqual({ id: 'o-1' })
  expect(response.headers.get('x-agentic-profile')).toBe('v0.3')
  expect(response.headers.get('x-correlation-id')).toBe('corr')
  expect(response.headers.get('x-request-id')).toBe('req')
  expect(upstream.requests).toHaveLength(1)
  expect(upstream.requests[0]).toMatchObject({
    method: 'POST',
    url: '/base/campaigns/c%201/optimizations?a=1&b=%20',
    body: Buffer.from('{"goal":"ctr"}'),
    headers: { 'x-tenant-id': 'acme', 'x-correlation-id': 'corr', 'content-length': '14' },
  })
})

it('leaves the bytes of a 5 MB body unchanged both ways', async () => {
  const sent = randomBytes(5_000_000)
  const upstream = await startUpstream(({ body }, response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream' })
    response.end(body)
  })
  const { url } = await startGateway({
    routes: [{ id: 'echo', method: 'POST', path: '/echo', target: upstream.url }],
  })
  const response = await fetch(`${url}/echo`, { method: 'POST', headers: tenant, body: sent })
  expect(response.status).toBe(200)
  expect(sha(upstream.requests[0]?.body ?? Buffer.alloc(0))).toBe(sha(sent))
  expect(sha(new Uint8Array(await response.arrayBuffer()))).toBe(sha(sent))
})
