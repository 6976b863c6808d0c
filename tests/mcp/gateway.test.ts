import { describe, expect, test } from 'vitest'
import {
  askForGoal,
  optimize,
  postModern,
  replayLastRound,
  walkBackground,
  walkOutcomes,
} from './campaign-flow.ts'
import { clientKinds, connectClient, type Json } from './official-clients.ts'
import { campaignStore, PUBLIC_URL, startToolGateway } from './tool-gateway.ts'

const store = campaignStore()

describe.each(clientKinds)('%s', (kind) => {
  test('gets the outcomes of the campaign service from the endpoint of its gateway', async () => {
    const { baseUrl, url, tokenOf, written, records } = await startToolGateway(store)
    await walkOutcomes({ baseUrl, tokenOf, connect: (person) => connectClient(kind, url, person) })
    const bob = await connectClient(kind, url, {
      asked: [],
      answer: () => ({ action: 'decline' }),
      token: await tokenOf('bob'),
    })
    const { tools } = await bob.listTools()
    expect(tools.map(({ name }: Json) => name)).not.toContain('create-optimization')
    expect(await optimize(bob, 'cmp-123', { goal: 'ctr' })).toBe('forbidden')
    await bob.close()
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

test('work in the background is a task to its end, and a conflict for others meanwhile', async () => {
  const { url, tokenOf } = await startToolGateway(store)
  await walkBackground(url, await tokenOf('alice', 'campaign:optimize'))
})

test('a client without a good token learns where people sign in', async () => {
  const { baseUrl, url, issuer } = await startToolGateway(store)
  const metadata = 'https://agents.example.test/.well-known/oauth-protected-resource/mcp'
  const missing = await postModern(url, 'tools/list', {})
  expect(missing.status).toBe(401)
  expect(await missing.json()).toMatchObject({ type: 'error', code: 'MISSING_TOKEN' })
  expect(missing.headers.get('www-authenticate')).toBe(
    `Bearer realm="agentic", error="invalid_request", resource_metadata="${metadata}"`,
  )
  const claims = { sub: 'alice', aud: 'agentic', tenant_id: 'acme' }
  const headers = { Authorization: `Bearer ${await issuer.token({ claims })}` }
  const other = await postModern(url, 'tools/list', { headers })
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
  const { url, tokenOf } = await startToolGateway(store)
  const headers = { Authorization: `Bearer ${await tokenOf('alice')}` }
  const asked = async (origin: string) =>
    (await postModern(url, 'tools/list', { headers: { ...headers, Origin: origin } })).status
  expect(await asked('https://evil.example.test')).toBe(403)
  expect(await asked('https://agents.example.test')).toBe(200)
  expect(await asked(new URL(url).origin)).toBe(200)
})

test('the token of a client stays in the gateway', async () => {
  const { url, tokenOf, records } = await startToolGateway(store)
  const token = await tokenOf('alice')
  const headers = { Authorization: `Bearer ${token}` }
  const params = { name: 'read-campaign', arguments: { campaignId: 'cmp-123' } }
  const answer = await postModern(url, 'tools/call', { params, headers })
  expect(await answer.json()).toMatchObject({ result: { structuredContent: { id: 'cmp-123' } } })
  expect(records().filter(({ attributes }) => attributes?.via === 'mcp')).toHaveLength(1)
  expect(JSON.stringify(records())).not.toContain(token)
})

test('100 replays of the last round have one effect, and a changed state has none', async () => {
  const { baseUrl, url, tokenOf, effects } = await startToolGateway(store)
  const call = await askForGoal(url, await tokenOf('alice', 'campaign:optimize'))
  const before = await effects()
  await replayLastRound(call)
  const { requestState } = call
  const at = Math.floor(requestState.length * 0.7)
  const other = requestState[at] === 'A' ? 'B' : 'A'
  const bob = { Authorization: `Bearer ${await tokenOf('bob', 'campaign:optimize')}` }
  for (const changed of [
    { requestState: requestState.slice(0, at) + other + requestState.slice(at + 1) },
    { arguments: { campaignId: 'cmp-124' } },
    { by: bob },
  ])
    expect((await call.answer(changed)).error).toEqual({ code: -32602, message: 'Invalid requestState' })
  expect(await effects()).toBe(before + 1)
  expect((await fetch(`${baseUrl}/healthz`)).status).toBe(200)
})
