import { readTrace, writeOutcome } from '@agentic-rest/profile'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, test } from 'vitest'

const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'tester', version: '1' },
}

function post(url: string, body: string, headers: Record<string, string> = {}): Promise<Response> {
  const method = 'tools/call'
  const own = { 'Content-Type': 'application/json', 'MCP-Protocol-Version': '2026-07-28' }
  const named = { 'Mcp-Method': method, 'Mcp-Name': 'take-room', 'X-Tenant-ID': 'acme' }
  return fetch(`${url}/mcp`, { method: 'POST', headers: { ...own, ...named, ...headers }, body })
}

const callOf = (args: object, name = 'take-room') =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { _meta: modern, name, arguments: args },
  })

const room = { id: 'take-room', method: 'POST', path: '/rooms', mcp: { input: 'none', description: 'x' } }

test('a message is refused by its size, its values, its depth and its batch before it is parsed', async () => {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: { ok: true } }))
  const { url } = await startGateway({ mcp: {}, routes: [{ ...room, target: upstream.url }] })
  const large = await post(url, callOf({ text: 'x'.repeat(262_144) }))
  expect([large.status, Object(await large.json()).code]).toEqual([413, 'BODY_TOO_LARGE'])
  const refused = async (body: string) => {
    const answer = await post(url, body)
    return [answer.status, await answer.json()]
  }
  const rpcError = (message: string) => [400, { jsonrpc: '2.0', id: null, error: { code: -32_600, message } }]
  expect(await refused(callOf({ list: Array(10_000).fill(0) }))).toEqual(
    rpcError('The message has more than 10000 values'),
  )
  expect(await refused(callOf({ list: Array(1_500).fill('x'.repeat(30)) }))).toEqual(
    rpcError('The message has more than 1500 values and more than 32768 bytes'),
  )
  expect(await refused(`{"a":${'['.repeat(100_000)}`)).toEqual(
    rpcError('The message has more than 72 levels'),
  )
  expect(await refused(`[${Array(101).fill('{}').join(',')}]`)).toEqual(
    rpcError('The batch has more than 100 messages'),
  )
  expect(upstream.requests).toEqual([])
  const text = 'x'.repeat(200_000)
  expect((await post(url, callOf({ text }))).status).toBe(200)
  expect(String(upstream.requests[0]?.body)).toBe(JSON.stringify({ text }))
})

test('mcp.max_body_bytes bounds messages, and gateway.limits.max_body_bytes does so too', async () => {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: { ok: true } }))
  const routes = [{ ...room, target: upstream.url }]
  const statusOf = async (config: object, bytes: number) => {
    const { url } = await startGateway({ ...config, routes })
    return (await post(url, callOf({ text: 'x'.repeat(bytes) }))).status
  }
  expect(await statusOf({ mcp: { max_body_bytes: 1_048_576 } }, 1_000_000)).toBe(200)
  expect(await statusOf({ mcp: { max_body_bytes: 1_048_576 } }, 1_048_576)).toBe(413)
  expect(await statusOf({ mcp: {}, gateway: { limits: { max_body_bytes: 8192 } } }, 8192)).toBe(413)
})

test('a service makes a call ask only paths of its own routes', async () => {
  let address = ''
  const ask = await startUpstream(({ url: path = '', headers: asked }, response) => {
    if (path.startsWith('/operations/'))
      return answerJson(response, { body: { operationId: 'op-1', status: 'working' } })
    const { correlationId = '', requestId = '' } = readTrace(asked)
    const accepted = { type: 'accepted', operationId: 'op-1', statusUrl: address } as const
    const { status, headers, body } = writeOutcome(accepted, { correlationId, requestId })
    response.writeHead(status, headers).end(body)
  })
  const other = await startUpstream((_request, response) => answerJson(response, { body: { secret: 1 } }))
  const { url } = await startGateway({
    mcp: { hold_seconds: 1 },
    routes: [
      { ...room, target: ask.url },
      { id: 'status', method: 'GET', path: '/operations/{operationId}/status', target: ask.url },
      { id: 'payroll', method: 'GET', path: '/payroll/{person}', target: other.url },
    ],
  })
  const follow = async (path: string) => {
    address = path
    expect((await post(url, callOf({}))).status).toBe(200)
    return [ask, other].map(
      ({ requests }) => requests.splice(0).filter(({ method }) => method === 'GET').length,
    )
  }
  const [own] = await follow('/operations/op-1/status')
  expect(own).toBeGreaterThan(0)
  for (const path of ['/payroll/eve', '/operations/../payroll/eve', '/nowhere', '/metrics', '/mcp'])
    expect(await follow(path), path).toEqual([0, 0])
})
