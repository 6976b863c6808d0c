import { sendRequest } from '@agentic-rest/testing/send-request'
import { expect, test } from 'vitest'
import { withTokens } from '../custom-plugins/start-with-plugins.ts'
import { sendItem, startAdmin } from './harness/start-admin.ts'

const read = async (adminUrl: string, requestId: string) => {
  const { status, body } = await sendRequest(`${adminUrl}/api/exchanges/${encodeURIComponent(requestId)}`)
  return { status, body: JSON.parse(body.toString()) }
}

const namesOf = (steps: readonly { name: string }[]) => steps.map(({ name }) => name)

test('a request is told step by step, with times', async () => {
  const { adminUrl, url } = await startAdmin()
  await sendItem(url, 'corr-1')
  const { status, body } = await read(adminUrl, 'req-corr-1')
  expect(status).toBe(200)
  expect(body).toMatchObject({
    requestId: 'req-corr-1',
    correlationId: 'corr-1',
    route: 'read-item',
    tenant: 'acme',
    status: 200,
    outcome: 'success',
  })
  expect(body).not.toHaveProperty('code')
  expect(namesOf(body.steps)).toEqual([
    'route',
    'admit',
    'token-validator',
    'tenant-injector',
    'route-policy',
    'rate-limits',
    'license-check',
    'prompt-sanitize',
    'otel-audit',
    'upstream',
    'check-response',
    'deliver',
  ])
  const sum = body.steps.reduce(
    (all: number, { milliseconds }: { milliseconds: number }) => all + milliseconds,
    0,
  )
  expect(sum).toBeLessThanOrEqual(body.milliseconds + 0.2)
  expect(body.steps.find(({ name }: { name: string }) => name === 'license-check')).toEqual({
    name: 'license-check',
    verdict: 'skipped',
    milliseconds: expect.any(Number),
    detail: 'the route names no license',
  })
})

test('a refused request ends at the step that refused it', async () => {
  const { adminUrl, url } = await startAdmin()
  await sendRequest(`${url}/nowhere`, { headers: { 'X-Request-ID': 'req 404' } })
  const { body } = await read(adminUrl, 'req 404')
  expect(body).toMatchObject({ route: 'unmatched', status: 404, code: 'ROUTE_NOT_FOUND' })
  expect(body.steps).toEqual([
    { name: 'route', verdict: 'refused', milliseconds: expect.any(Number), detail: 'ROUTE_NOT_FOUND' },
    { name: 'admit', verdict: 'passed', milliseconds: expect.any(Number) },
  ])
})

test('the steps behind the one that refused are skipped, so that nobody looks for a call of the service', async () => {
  const { adminUrl, url } = await startAdmin({ config: { plugins: withTokens } })
  await sendItem(url, 'corr-1')
  const { body } = await read(adminUrl, 'req-corr-1')
  expect(body).toMatchObject({ route: 'read-item', status: 401, code: 'MISSING_TOKEN' })
  const unreached = { verdict: 'skipped', milliseconds: 0, detail: 'not reached' }
  expect(body.steps).toEqual([
    { name: 'route', verdict: 'passed', milliseconds: expect.any(Number) },
    { name: 'admit', verdict: 'passed', milliseconds: expect.any(Number) },
    {
      name: 'token-validator',
      verdict: 'refused',
      milliseconds: expect.any(Number),
      detail: 'MISSING_TOKEN',
    },
    { name: 'tenant-injector', ...unreached },
    { name: 'route-policy', ...unreached },
    { name: 'rate-limits', ...unreached },
    { name: 'license-check', ...unreached },
    { name: 'prompt-sanitize', ...unreached },
    { name: 'otel-audit', ...unreached },
    { name: 'upstream', ...unreached },
    { name: 'check-response', ...unreached },
    { name: 'deliver', ...unreached },
  ])
})

test('a replaced answer was not delivered', async () => {
  const target = 'http://127.0.0.1:9'
  const routes = [{ id: 'read-item', method: 'GET', path: '/items/{itemId}', target }]
  const { adminUrl, url } = await startAdmin({ config: { routes } })
  await sendItem(url, 'corr-1')
  const { body } = await read(adminUrl, 'req-corr-1')
  expect(body.steps.slice(-3)).toEqual([
    {
      name: 'upstream',
      verdict: 'failed',
      milliseconds: expect.any(Number),
      detail: 'UPSTREAM_UNAVAILABLE, ECONNREFUSED',
    },
    { name: 'check-response', verdict: 'skipped', milliseconds: 0, detail: 'not reached' },
    { name: 'deliver', verdict: 'skipped', milliseconds: 0, detail: 'not reached' },
  ])
})

test('an id that no remembered request has is 404', async () => {
  const { adminUrl } = await startAdmin()
  expect((await read(adminUrl, 'unknown')).status).toBe(404)
})

test('headers are kept without secrets, of forwarded and of refused requests', async () => {
  const { adminUrl, url } = await startAdmin()
  const secret = 'a-secret-value'
  const headers = {
    Accept: 'application/json',
    Authorization: `Bearer ${secret}`,
    'X-Approval-Token': secret,
    'X-Own': secret,
  }
  for (const [id, path] of [
    ['forwarded', 'items/1'],
    ['refused', 'nowhere'],
  ] as const)
    await sendRequest(`${url}/${path}`, { headers: { ...headers, 'X-Request-ID': id } })
  for (const [id, type] of [
    ['forwarded', 'application/json'],
    ['refused', 'application/vnd.agentic.error+json'],
  ] as const) {
    const { body } = await read(adminUrl, id)
    const { request, response } = body.headers
    expect(request).toEqual(
      expect.arrayContaining([
        { name: 'Accept', value: 'application/json' },
        { name: 'Authorization', value: '[hidden]' },
        { name: 'X-Approval-Token', value: '[hidden]' },
      ]),
    )
    expect(response).toContainEqual({ name: expect.stringMatching(/^content-type$/i), value: type })
    expect(JSON.stringify(body)).not.toContain(secret)
    expect(JSON.stringify(body)).not.toContain('X-Own')
  }
})

test('two requests with the same id are told apart by the span of the gateway', async () => {
  const { adminUrl, url } = await startAdmin()
  await sendItem(url, 'corr-1')
  await sendRequest(`${url}/nowhere`, { headers: { 'X-Request-ID': 'req-corr-1' } })
  const { body: list } = await sendRequest(`${adminUrl}/api/requests`)
  const { requests } = JSON.parse(list.toString())
  const detail = async (spanId: string) => {
    const { status, body } = await sendRequest(`${adminUrl}/api/exchanges/req-corr-1?span_id=${spanId}`)
    return { status, body: JSON.parse(body.toString()) }
  }
  expect(requests).toHaveLength(2)
  for (const { spanId, status } of requests)
    expect(await detail(spanId)).toMatchObject({ status: 200, body: { spanId, status } })
  expect(await detail('0000000000000000')).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
  expect((await read(adminUrl, 'req-corr-1')).body.status).toBe(404)
})
