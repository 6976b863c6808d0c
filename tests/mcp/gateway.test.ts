import { describe, expect, test } from 'vitest'
import { clientKinds, connectClient, type Json, type Person } from './official-clients.ts'
import { PUBLIC_URL, startToolGateway } from './tool-gateway.ts'

const typeOf = (result: Json) => result._meta['org.agentic-rest/outcome'].type

describe.each(clientKinds)('%s', (kind) => {
  test('gets the outcomes of the campaign service from the endpoint of its gateway', async () => {
    const { baseUrl, url, tokenOf, written, records } = await startToolGateway()
    const dave = await tokenOf('dave', 'campaign:approve')
    const person: Person = {
      asked: [],
      async answer({ mode, url: address }) {
        if (mode !== 'url') return { action: 'accept', content: { goal: 'ctr' } }
        const headers = { Authorization: `Bearer ${dave}` }
        const path = `${new URL(address).pathname}/approve`
        const decided = await fetch(`${baseUrl}${path}`, { method: 'POST', headers })
        expect(decided.status).toBe(200)
        return { action: 'accept' }
      },
    }
    const alice = await connectClient(kind, url, {
      ...person,
      token: await tokenOf('alice', 'campaign:optimize'),
    })
    const bob = await connectClient(kind, url, { ...person, token: await tokenOf('bob') })
    const namesOf = async (client: typeof alice) =>
      (await client.listTools()).tools.map(({ name }: Json) => name)
    expect(await namesOf(alice)).toContain('create-optimization')
    expect(await namesOf(bob)).not.toContain('create-optimization')
    const optimize = async (client: typeof alice, campaignId: string, given: Json) =>
      typeOf(await client.callTool({ name: 'create-optimization', arguments: { campaignId, ...given } }))
    const seen = {
      success: typeOf(await alice.callTool({ name: 'read-campaign', arguments: { campaignId: 'cmp-123' } })),
      created: await optimize(alice, 'cmp-123', { goal: 'ctr' }),
      clarified: await optimize(alice, 'cmp-123', {}),
      validation_failed: await optimize(alice, 'cmp-123', { goal: 42 }),
      forbidden: await optimize(bob, 'cmp-123', { goal: 'ctr' }),
      failed_dependency: await optimize(alice, 'cmp-offline', { goal: 'ctr' }),
      error: await optimize(alice, 'cmp-corrupt', { goal: 'ctr' }),
      approved: await optimize(alice, 'cmp-enterprise', { goal: 'ctr' }),
    }
    await alice.close()
    await bob.close()
    expect(seen).toEqual({
      success: 'success',
      created: 'created',
      clarified: 'created',
      validation_failed: 'validation_failed',
      forbidden: 'forbidden',
      failed_dependency: 'failed_dependency',
      error: 'error',
      approved: 'created',
    })
    expect(person.asked.map(({ mode }) => mode)).toEqual(['form', 'url'])
    const [clarified] = records()
      .filter(({ attributes }) => attributes?.mcp_tool === 'create-optimization')
      .filter(({ attributes }) => attributes.mcp_round === '2')
    expect(clarified).toMatchObject({
      actor_id: 'alice',
      attributes: { via: 'mcp', mcp_client: 'official', mcp_version: expect.stringMatching(/^202/) },
    })
    expect(written.join('')).not.toMatch(/approval[_-]?token":"(?!\[)/i)
    const metrics = await (await fetch(`${baseUrl}/metrics`)).text()
    expect(metrics).toMatch(
      /agentic_mcp_requests_total\{method="tools\/call",version="[^"]+",result="tool_error"\} \d/,
    )
    expect(metrics).toContain('agentic_mcp_pending_elicitations 0')
  })
})

const meta = (capabilities: Json = {}) => ({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': capabilities,
})

async function post(url: string, method: string, { params = {}, headers = {} }: Json) {
  return fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
      ...((params.taskId ?? params.name) && { 'Mcp-Name': params.taskId ?? params.name }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta: meta(), ...params } }),
  })
}

test('work in the background is a task to its end, and a conflict for others meanwhile', async () => {
  const { url, tokenOf } = await startToolGateway()
  const headers = { Authorization: `Bearer ${await tokenOf('alice', 'campaign:optimize')}` }
  const _meta = meta({ extensions: { 'io.modelcontextprotocol/tasks': {} } })
  const ask = async (method: string, params: Json) => {
    const message: Json = await (await post(url, method, { params: { ...params, _meta }, headers })).json()
    return message.result
  }
  const params = { name: 'create-optimization', arguments: { campaignId: 'cmp-123', goal: 'cpl' } }
  const created = await ask('tools/call', params)
  expect(created).toMatchObject({ resultType: 'task', status: 'working' })
  expect(await ask('tools/call', params)).toMatchObject({
    isError: true,
    structuredContent: { type: 'conflict' },
  })
  await expect
    .poll(() => ask('tasks/get', { taskId: created.taskId }))
    .toMatchObject({
      status: 'completed',
      result: { _meta: { 'org.agentic-rest/outcome': { type: 'created' } } },
    })
})

test('a client without a good token learns where people sign in', async () => {
  const { baseUrl, url, issuer } = await startToolGateway()
  const metadata = 'https://agents.example.test/.well-known/oauth-protected-resource/mcp'
  const missing = await post(url, 'tools/list', {})
  expect(missing.status).toBe(401)
  expect(await missing.json()).toMatchObject({ type: 'error', code: 'MISSING_TOKEN' })
  expect(missing.headers.get('www-authenticate')).toBe(
    `Bearer realm="agentic", error="invalid_request", resource_metadata="${metadata}"`,
  )
  const claims = { sub: 'alice', aud: 'agentic', tenant_id: 'acme' }
  const headers = { Authorization: `Bearer ${await issuer.token({ claims })}` }
  const other = await post(url, 'tools/list', { headers })
  expect(other.status).toBe(401)
  expect(await other.json()).toMatchObject({ code: 'AUDIENCE_MISMATCH' })
  expect(other.headers.get('www-authenticate')).toContain(`resource_metadata="${metadata}"`)
  for (const path of ['/mcp', '']) {
    const found = await fetch(`${baseUrl}/.well-known/oauth-protected-resource${path}`)
    expect(found.status).toBe(200)
    expect(await found.json()).toEqual({
      resource: PUBLIC_URL,
      authorization_servers: [issuer.url],
      scopes_supported: [],
      bearer_methods_supported: ['header'],
      resource_name: 'Agents of Acme',
    })
  }
  const metrics = await (await fetch(`${baseUrl}/metrics`)).text()
  expect(metrics).toContain(
    'agentic_mcp_requests_total{method="unknown",version="unknown",result="refused"} 2',
  )
})

test('a page of another site is refused before its token is looked at', async () => {
  const { url, tokenOf } = await startToolGateway()
  const headers = { Authorization: `Bearer ${await tokenOf('alice')}` }
  const asked = async (origin: string) =>
    (await post(url, 'tools/list', { headers: { ...headers, Origin: origin } })).status
  expect(await asked('https://evil.example.test')).toBe(403)
  expect(await asked('https://agents.example.test')).toBe(200)
  expect(await asked(new URL(url).origin)).toBe(200)
})

test('the token of a client stays in the gateway', async () => {
  const { url, tokenOf, records } = await startToolGateway()
  const token = await tokenOf('alice')
  const headers = { Authorization: `Bearer ${token}` }
  const params = { name: 'read-campaign', arguments: { campaignId: 'cmp-123' } }
  const answer = await post(url, 'tools/call', { params, headers })
  expect(await answer.json()).toMatchObject({ result: { structuredContent: { id: 'cmp-123' } } })
  expect(records().filter(({ attributes }) => attributes?.via === 'mcp')).toHaveLength(1)
  expect(JSON.stringify(records())).not.toContain(token)
})

test('100 replays of the last round have one effect, and a changed state has none', async () => {
  const { baseUrl, url, tokenOf } = await startToolGateway()
  const headers = { Authorization: `Bearer ${await tokenOf('alice', 'campaign:optimize')}` }
  const _meta = meta({ elicitation: { form: {} } })
  const params = { name: 'create-optimization', arguments: { campaignId: 'cmp-123' }, _meta }
  const ask = async (more: Json, by = headers): Promise<Json> =>
    (await post(url, 'tools/call', { params: { ...params, ...more }, headers: by })).json()
  const { result } = await ask({})
  expect(result).toMatchObject({ resultType: 'input_required' })
  const inputResponses = { inputs: { action: 'accept', content: { goal: 'ctr' } } }
  const last = { requestState: result.requestState, inputResponses }
  const first = await ask(last)
  expect(typeOf(first.result)).toBe('created')
  const replays = await Promise.all(Array.from({ length: 100 }, () => ask(last)))
  const ids = replays.map((each) => each.result.structuredContent.id)
  expect(first.result.structuredContent.id).toBeTypeOf('string')
  expect(new Set(ids)).toEqual(new Set([first.result.structuredContent.id]))

  const invalid = { code: -32602, message: 'Invalid requestState' }
  const at = Math.floor(result.requestState.length * 0.7)
  const other = result.requestState[at] === 'A' ? 'B' : 'A'
  const changed = result.requestState.slice(0, at) + other + result.requestState.slice(at + 1)
  expect((await ask({ ...last, requestState: changed })).error).toEqual(invalid)
  expect((await ask({ ...last, arguments: { campaignId: 'cmp-124' } })).error).toEqual(invalid)
  const bob = { Authorization: `Bearer ${await tokenOf('bob', 'campaign:optimize')}` }
  expect((await ask(last, bob)).error).toEqual(invalid)
  expect((await fetch(`${baseUrl}/healthz`)).status).toBe(200)
})
