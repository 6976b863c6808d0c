import { writeOutcome } from '@agentic-rest/profile'
import { configText } from '@agentic-rest/testing/config-text'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, test } from 'vitest'
import { parseConfig } from '../../src/index.ts'

interface Call {
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly headers?: Record<string, string>
}

const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'tester', version: '1' },
}

function post(url: string, { method = 'tools/call', params = {}, headers = {} }: Call): Promise<Response> {
  const { name } = params
  return fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
      'X-Tenant-ID': 'acme',
      ...(typeof name === 'string' && { 'Mcp-Name': name }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta: modern, ...params } }),
  })
}

async function ask(url: string, call: Call) {
  const answer = await post(url, call)
  return JSON.parse(await answer.text())
}

const room = { id: 'take-room', method: 'POST', path: '/rooms/{room}/stays' }
const tool = { input: 'none', description: 'Takes a room.' }

test('a call is a request of its own: forwarded without the token, recorded and counted by its route', async () => {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: { id: 's-1' } }))
  const { url, audit, metrics } = await startGateway({
    mcp: {},
    routes: [{ ...room, target: upstream.url, mcp: tool }],
  })
  const params = { name: 'take-room', arguments: { room: '12', nights: 2 } }
  const headers = { Authorization: 'Bearer of-the-client', 'X-Correlation-ID': 'order-17' }
  const { result } = await ask(url, { params, headers })
  expect(result).toMatchObject({ resultType: 'complete', structuredContent: { id: 's-1' } })
  const [seen] = upstream.requests
  expect(seen).toMatchObject({ method: 'POST', url: '/rooms/12/stays' })
  expect(String(seen?.body)).toBe('{"nights":2}')
  expect(seen?.headers).toMatchObject({
    'x-correlation-id': 'order-17',
    'x-tenant-id': 'acme',
    'content-type': 'application/json',
    'idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/),
  })
  expect(seen?.headers).not.toHaveProperty('authorization')
  expect(audit).toHaveLength(1)
  expect(audit[0]).toMatchObject({
    operation: 'take-room',
    correlation_id: 'order-17',
    tenant_id: 'acme',
    outcome: 'success',
    attributes: {
      via: 'mcp',
      mcp_tool: 'take-room',
      mcp_version: '2026-07-28',
      mcp_client: 'tester',
      mcp_round: '1',
    },
  })
  const scrape = await metrics()
  expect(scrape).toContain('agentic_requests_total{route="take-room",outcome="success",tenant_id="acme"} 1')
  expect(scrape).toContain(
    'agentic_mcp_requests_total{method="tools/call",version="2026-07-28",result="complete"} 1',
  )
})

test('with forward_authorization the service gets the token', async () => {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const { url } = await startGateway({
    mcp: { forward_authorization: true },
    routes: [{ ...room, target: upstream.url, mcp: tool }],
  })
  const headers = { Authorization: 'Bearer of-the-client' }
  await ask(url, { params: { name: 'take-room', arguments: { room: '12' } }, headers })
  expect(upstream.requests[0]?.headers.authorization).toBe('Bearer of-the-client')
})

test('a service that is away is the typed outcome of the gateway', async () => {
  const { url } = await startGateway({
    mcp: {},
    routes: [{ ...room, target: 'http://127.0.0.1:1', mcp: tool }],
  })
  const { result } = await ask(url, { params: { name: 'take-room', arguments: { room: '12' } } })
  expect(result).toMatchObject({
    isError: true,
    structuredContent: { type: 'failed_dependency', code: 'UPSTREAM_UNAVAILABLE' },
  })
})

test('a typed answer with another trace is refused, and the result has the trace of the call', async () => {
  const foreign = { correlationId: 'of-another', requestId: 'of-another' }
  const upstream = await startUpstream((_request, response) => {
    const outcome = {
      type: 'conflict',
      code: 'TAKEN',
      message: 'Taken.',
      conflictingResourceId: 's-9',
    } as const
    const { status, headers, body } = writeOutcome(outcome, foreign)
    response.writeHead(status, { ...headers }).end(body)
  })
  const { url } = await startGateway({ mcp: {}, routes: [{ ...room, target: upstream.url, mcp: tool }] })
  const params = { name: 'take-room', arguments: { room: '12' } }
  const { result } = await ask(url, { params, headers: { 'X-Correlation-ID': 'order-17' } })
  expect(result).toMatchObject({
    isError: true,
    structuredContent: { type: 'error', code: 'TRACE_MISMATCH' },
  })
  expect(result._meta['org.agentic-rest/outcome'].trace).toMatchObject({ correlationId: 'order-17' })
  expect(JSON.stringify(result)).not.toContain('of-another')
})

test('an answer above max_agentic_response_bytes is refused, and the gateway serves on', async () => {
  const upstream = await startUpstream((_request, response) =>
    answerJson(response, { body: { text: 'x'.repeat(5000) } }),
  )
  const { url } = await startGateway({
    gateway: { limits: { max_agentic_response_bytes: 4096 } },
    mcp: {},
    routes: [{ ...room, target: upstream.url, mcp: tool }],
  })
  const params = { name: 'take-room', arguments: { room: '12' } }
  for (const _ of [1, 2]) {
    const { result } = await ask(url, { params })
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { type: 'failed_dependency', code: 'UPSTREAM_INVALID_RESPONSE' },
    })
  }
})

test('events of a stream are progress, and the result has them all', async () => {
  const upstream = await startUpstream((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    response.end('event: delta\ndata: {"text":"a"}\n\nevent: delta\ndata: {"text":"b"}\n\n')
  })
  const { url } = await startGateway({
    mcp: {},
    routes: [{ ...room, mode: 'sse', target: upstream.url, mcp: { ...tool, stream: 'events' } }],
  })
  const params = {
    name: 'take-room',
    arguments: { room: '12' },
    _meta: { ...modern, progressToken: 'p' },
  }
  const answer = await post(url, { params, headers: { Accept: 'application/json, text/event-stream' } })
  const text = await answer.text()
  const messages = [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => JSON.parse(data))
  expect(messages.filter(({ method }) => method === 'notifications/progress')).toHaveLength(2)
  expect(messages.at(-1).result.structuredContent).toEqual({
    events: [
      { event: 'delta', data: '{"text":"a"}' },
      { event: 'delta', data: '{"text":"b"}' },
    ],
  })
})

test('a service whose document is missing leaves its tool out, readiness names the route, and no client keeps the list', async () => {
  const upstream = await startUpstream((_request, response) =>
    answerJson(response, { status: 404, body: {} }),
  )
  const { url } = await startGateway({
    mcp: {},
    routes: [
      { ...room, target: upstream.url, mcp: {} },
      { id: 'plain', method: 'POST', path: '/plain', target: upstream.url },
    ],
  })
  expect(await (await fetch(`${url}/readyz`)).json()).toEqual({
    status: 'ready',
    degraded: ['mcp: take-room (no_document)'],
  })
  const { result } = await ask(url, { method: 'tools/list' })
  expect(result).toMatchObject({ tools: [], ttlMs: 0 })
})

const documented = (goals: readonly string[]) => ({
  openapi: '3.1.0',
  info: { title: 'Rooms', version: '1' },
  paths: {
    '/rooms/{roomId}/stays': {
      post: {
        summary: 'Takes a room.',
        parameters: [{ name: 'roomId', in: 'path', required: true, schema: { type: 'string' } }],
        requestBody: {
          content: {
            'application/json': {
              schema: { type: 'object', required: ['goal'], properties: { goal: { enum: goals } } },
            },
          },
        },
        responses: { 400: { content: { 'application/vnd.agentic.clarification+json': { schema: {} } } } },
      },
    },
  },
})

test('the document of the service makes the tool, and a service without idempotency is warned of', async () => {
  const upstream = await startUpstream(({ url: path }, response) =>
    answerJson(response, { body: path === '/openapi.json' ? documented(['work']) : { id: 's-1' } }),
  )
  const { url, log } = await startGateway({
    mcp: {},
    routes: [{ ...room, target: upstream.url, mcp: {} }],
  })
  const listed = async () => (await ask(url, { method: 'tools/list' })).result.tools
  await expect.poll(async () => (await listed()).length).toBe(1)
  expect(await listed()).toMatchObject([
    {
      name: 'take-room',
      description: 'Takes a room.',
      inputSchema: {
        required: ['roomId'],
        properties: { goal: { enum: ['work'], description: 'Asked for when missing.' } },
      },
    },
  ])
  expect(log.filter(({ level }) => level === 'warn').map(({ route }) => route)).toContain('take-room')
  const params = { name: 'take-room', arguments: { roomId: '12', goal: 'work' } }
  expect((await ask(url, { params })).result.structuredContent).toEqual({ id: 's-1' })
  expect((await ask(url, { params: { name: 'other', arguments: {} } })).error).toMatchObject({ code: -32602 })
  expect(upstream.requests.filter(({ url: path }) => path === '/openapi.json')).toHaveLength(1)
})

test('a tool whose keys the gateway keeps is not warned of', async () => {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: documented([]) }))
  const { url, log } = await startGateway({
    mcp: {},
    routes: [{ ...room, target: upstream.url, mcp: {}, idempotency: { mode: 'required' } }],
  })
  const listed = async () => (await ask(url, { method: 'tools/list' })).result.tools
  await expect.poll(async () => (await listed()).length).toBe(1)
  expect(log.filter(({ msg }) => String(msg).includes('no idempotency'))).toEqual([])
})

test('a call through trusted proxies names its real client to the service and in the record', async () => {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const { url, audit } = await startGateway({
    gateway: { trusted_proxies: ['127.0.0.1'] },
    mcp: {},
    routes: [{ ...room, target: upstream.url, mcp: tool }],
  })
  const headers = { 'X-Forwarded-For': '192.0.2.66, 203.0.113.7' }
  await ask(url, { params: { name: 'take-room', arguments: { room: '12' } }, headers })
  expect(upstream.requests[0]?.headers['x-forwarded-for']).toBe('203.0.113.7, 127.0.0.1')
  expect(audit[0]).toMatchObject({ attributes: { client_address: '203.0.113.7' } })
})

test('a path parameter cannot lead a call to the endpoint itself', async () => {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: { id: 'mcp' } }))
  const { url } = await startGateway({
    mcp: {},
    routes: [{ id: 'any', method: 'POST', path: '/{name}', target: upstream.url, mcp: tool }],
  })
  const { result } = await ask(url, { params: { name: 'any', arguments: { name: 'mcp' } } })
  expect(result.structuredContent).toEqual({ id: 'mcp' })
})

test('a body that is too large or no JSON is refused', async () => {
  const { url } = await startGateway({
    gateway: { limits: { max_body_bytes: 200 } },
    mcp: {},
    routes: [],
  })
  const send = (body: string) =>
    fetch(`${url}/mcp`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
  expect((await send('x'.repeat(201))).status).toBe(413)
  const broken = await send('{')
  expect(broken.status).toBe(400)
  expect(await broken.json()).toMatchObject({ error: { code: -32700 } })
})

test('a reload changes the tools and tells clients that listen', async () => {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const routes = [{ ...room, target: upstream.url, mcp: tool }]
  const next = parseConfig(
    configText({
      mcp: {},
      routes: [...routes, { id: 'other', method: 'POST', path: '/other', target: upstream.url, mcp: tool }],
    }),
    { file: 'test.yaml', env: {} },
  )
  const { url, gateway } = await startGateway(
    { mcp: {}, routes },
    { source: { file: 'test.yaml', read: () => next } },
  )
  const listening = await post(url, {
    method: 'subscriptions/listen',
    params: { notifications: { toolsListChanged: true } },
    headers: { Accept: 'application/json, text/event-stream' },
  })
  const reader = listening.body?.pipeThrough(new TextDecoderStream()).getReader()
  await reader?.read()
  expect(await gateway.reload()).toMatchObject({ result: 'applied' })
  let heard = ''
  while (!heard.includes('tools/list_changed')) heard += (await reader?.read())?.value ?? ''
  await reader?.cancel()
  const { result } = await ask(url, { method: 'tools/list' })
  expect(result.tools.map(({ name }: { name: string }) => name)).toEqual(['take-room', 'other'])
})

test('a page of a configured origin gets past its preflight and can read its session', async () => {
  const origin = 'https://inspector.example.test'
  const { url } = await startGateway({
    gateway: { cors: { origins: [origin] } },
    mcp: { origins: [origin] },
    routes: [],
  })
  const preflight = await fetch(`${url}/mcp`, {
    method: 'OPTIONS',
    headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' },
  })
  expect(preflight.headers.get('access-control-allow-headers')).toMatch(
    /Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name$/,
  )
  const answer = await post(url, { method: 'tools/list', headers: { Origin: origin } })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
  expect(answer.headers.get('access-control-expose-headers')).toMatch(/Mcp-Session-Id$/)
})

test('a gateway without the section has no endpoint', async () => {
  const { url } = await startGateway({ routes: [] })
  expect((await post(url, {})).status).toBe(404)
  expect((await fetch(`${url}/.well-known/oauth-protected-resource`)).status).toBe(404)
})
