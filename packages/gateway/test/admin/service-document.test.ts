import type { ServerResponse } from 'node:http'
import { freePort } from '@agentic-rest/testing/free-port'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { sendJson } from '@agentic-rest/testing/start-issuer'
import { type ReceivedRequest, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, test } from 'vitest'
import { startAdmin } from './harness/start-admin.ts'

const document = { openapi: '3.1.1', info: { title: 'Items', version: '1' }, paths: {} }

async function behind(answer: (request: ReceivedRequest, response: ServerResponse) => void, base = '') {
  const upstream = await startUpstream(answer)
  const routes = [
    { id: 'read-item', method: 'GET', path: '/items/{itemId}', target: `${upstream.url}${base}` },
  ]
  const { adminUrl } = await startAdmin({ config: { routes } })
  const ask = async (query = '?route=read-item', headers: Record<string, string> = {}) => {
    const { status, body } = await sendRequest(`${adminUrl}/api/openapi${query}`, { headers })
    return [status, JSON.parse(body.toString())]
  }
  return { ask, requests: upstream.requests }
}

test('the document of the service is fetched from the target, without headers of the caller, and kept briefly', async () => {
  const { ask, requests } = await behind((_request, response) => sendJson(response, document))
  const headers = { authorization: 'Bearer secret', cookie: 'a=b', 'x-tenant-id': 'acme' }
  expect(await Promise.all([ask(undefined, headers), ask()])).toEqual([
    [200, { document }],
    [200, { document }],
  ])
  expect(await ask()).toEqual([200, { document }])
  expect(requests.map(({ method, url }) => [method, url])).toEqual([['GET', '/openapi.json']])
  expect(Object.keys(requests[0]?.headers ?? {}).toSorted()).toEqual(['connection', 'host'])
})

test('a target with a path is asked below it, then at its root', async () => {
  const { ask, requests } = await behind((request, response) => {
    if (request.url === '/openapi.json') return sendJson(response, document)
    response.writeHead(404).end()
  }, '/v1')
  expect(await ask()).toEqual([200, { document }])
  expect(requests.map(({ url }) => url)).toEqual(['/v1/openapi.json', '/openapi.json'])
})

const none = 'The service publishes no OpenAPI document: it answers /openapi.json with'
const notOne = '/openapi.json of the service is not an OpenAPI 3 document in JSON.'
const cases: readonly [
  string,
  (request: ReceivedRequest, response: ServerResponse) => void,
  readonly [number, string, string],
][] = [
  ['nothing there', (_, response) => void response.writeHead(404).end(), [404, 'NOT_FOUND', `${none} 404.`]],
  [
    'a redirect, which is not followed',
    (_, response) => void response.writeHead(302, { location: '/elsewhere' }).end(),
    [404, 'NOT_FOUND', `${none} 302.`],
  ],
  ['no JSON', (_, response) => void response.end('<html>'), [422, 'INVALID', notOne]],
  [
    'a very deep document',
    (_, response) =>
      void response.end(`{"openapi":"3.1.0","x":${'['.repeat(500_000)}${']'.repeat(500_000)}}`),
    [422, 'INVALID', notOne],
  ],
  ['another document', (_, response) => sendJson(response, { swagger: '2.0' }), [422, 'INVALID', notOne]],
  [
    'more than 1 MiB',
    (_, response) => sendJson(response, { ...document, more: 'x'.repeat(1_048_576) }),
    [413, 'TOO_LARGE', 'The OpenAPI document of the service is larger than 1048576 bytes.'],
  ],
  ['no answer', () => {}, [503, 'UNAVAILABLE', 'The service did not send its OpenAPI document within 2 s.']],
]

test.each(cases)('a service with %s gets a typed error', async (_name, answer, [status, code, message]) => {
  const { ask, requests } = await behind(answer)
  expect(await ask()).toEqual([status, { code, message }])
  expect(requests.map(({ url }) => url)).toEqual(['/openapi.json'])
})

test('a service that is down cannot be reached, and its address is not named', async () => {
  const target = `http://127.0.0.1:${await freePort()}`
  const routes = [{ id: 'read-item', method: 'GET', path: '/items/{itemId}', target }]
  const { adminUrl } = await startAdmin({ config: { routes } })
  const { status, body } = await sendRequest(`${adminUrl}/api/openapi?route=read-item`)
  expect([status, JSON.parse(body.toString())]).toEqual([
    503,
    { code: 'UNAVAILABLE', message: 'The service cannot be reached.' },
  ])
})

test('only routes of the configuration are asked about', async () => {
  const { ask, requests } = await behind((_request, response) => sendJson(response, document))
  expect(await ask('')).toEqual([422, { code: 'INVALID', message: 'route is missing.' }])
  expect(await ask('?route=http://127.0.0.1')).toEqual([
    404,
    { code: 'NOT_FOUND', message: 'No route has this id.' },
  ])
  expect(requests).toEqual([])
})
