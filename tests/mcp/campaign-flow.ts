import { expect } from 'vitest'
import type { Json, OfficialClient, Person } from './official-clients.ts'

/** The way of a test to the tools of the campaign service. */
export interface CampaignWay {
  /** The address of a gateway, where people decide approvals. */
  readonly baseUrl: string
  tokenOf(sub: string, ...roles: string[]): Promise<string>
  /** Connects a client with the token of the person, who answers its questions. */
  connect(person: Person): Promise<OfficialClient>
}

/** The type of the outcome of a result. */
export const typeOf = (result: Json) => result._meta['org.agentic-rest/outcome'].type

/** Asks for an optimization; resolves with the type of its outcome. */
export async function optimize(client: OfficialClient, campaignId: string, given: Json): Promise<string> {
  return typeOf(await client.callTool({ name: 'create-optimization', arguments: { campaignId, ...given } }))
}

/** A client gets the outcomes of the campaign service: it answers the form, and somebody else decides the approval. */
export async function walkOutcomes({ baseUrl, tokenOf, connect }: CampaignWay): Promise<void> {
  const dave = await tokenOf('dave', 'campaign:approve')
  const person: Person = {
    asked: [],
    token: await tokenOf('alice', 'campaign:optimize'),
    async answer({ mode, url }) {
      if (mode !== 'url') return { action: 'accept', content: { goal: 'ctr' } }
      const headers = { Authorization: `Bearer ${dave}` }
      const decided = await fetch(`${baseUrl}${new URL(url).pathname}/approve`, { method: 'POST', headers })
      expect(decided.status).toBe(200)
      return { action: 'accept' }
    },
  }
  const alice = await connect(person)
  const { tools } = await alice.listTools()
  expect(tools.map(({ name }: Json) => name)).toContain('create-optimization')
  const seen = {
    success: typeOf(await alice.callTool({ name: 'read-campaign', arguments: { campaignId: 'cmp-123' } })),
    created: await optimize(alice, 'cmp-123', { goal: 'ctr' }),
    clarified: await optimize(alice, 'cmp-123', {}),
    validation_failed: await optimize(alice, 'cmp-123', { goal: 42 }),
    failed_dependency: await optimize(alice, 'cmp-offline', { goal: 'ctr' }),
    error: await optimize(alice, 'cmp-corrupt', { goal: 'ctr' }),
    approved: await optimize(alice, 'cmp-enterprise', { goal: 'ctr' }),
  }
  await alice.close()
  expect(seen).toEqual({
    success: 'success',
    created: 'created',
    clarified: 'created',
    validation_failed: 'validation_failed',
    failed_dependency: 'failed_dependency',
    error: 'error',
    approved: 'created',
  })
  expect(person.asked.map(({ mode }) => mode)).toEqual(['form', 'url'])
}

/** The `_meta` of a request of 2026-07-28. */
export const modernMeta = (capabilities: Json = {}) => ({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': capabilities,
})

/** Sends a request of 2026-07-28. */
export function postModern(url: string, method: string, { params = {}, headers = {} }: Json) {
  const name = params.taskId ?? params.name
  return fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
      ...(name && { 'Mcp-Name': name }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta: modernMeta(), ...params } }),
  })
}

/** Work in the background is a task to its end, and a conflict for others meanwhile. */
export async function walkBackground(url: string, token: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` }
  const _meta = modernMeta({ extensions: { 'io.modelcontextprotocol/tasks': {} } })
  const ask = async (method: string, params: Json) => {
    const message: Json = await (
      await postModern(url, method, { params: { ...params, _meta }, headers })
    ).json()
    return message.result
  }
  const params = { name: 'create-optimization', arguments: { campaignId: 'cmp-123', goal: 'cpl' } }
  const created = await ask('tools/call', params)
  expect(created).toMatchObject({ resultType: 'task', status: 'working' })
  expect(created).not.toHaveProperty('content')
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
}

/** A call of 2026-07-28 that is asked for the goal. */
export interface AskedCall {
  readonly requestState: string
  /** Sends the last round, with the given differences. */
  answer(more?: Json): Promise<Json>
}

/** Sends the first round of an optimization without its goal. */
export async function askForGoal(url: string, token: string): Promise<AskedCall> {
  const headers = { Authorization: `Bearer ${token}` }
  const _meta = modernMeta({ elicitation: { form: {} } })
  const params = { name: 'create-optimization', arguments: { campaignId: 'cmp-123' }, _meta }
  const ask = async (more: Json, by: Json): Promise<Json> =>
    (await postModern(url, 'tools/call', { params: { ...params, ...more }, headers: by })).json()
  const { result } = await ask({}, headers)
  expect(result).toMatchObject({ resultType: 'input_required' })
  const { requestState } = result
  const inputResponses = { inputs: { action: 'accept', content: { goal: 'ctr' } } }
  return {
    requestState,
    answer: ({ by = headers, ...more } = {}) => ask({ requestState, inputResponses, ...more }, by),
  }
}

/** 100 replays of the last round of a call have its result; all at once, as clients that lost the answer would. */
export async function replayLastRound({ answer }: AskedCall): Promise<void> {
  const first = await answer()
  expect(typeOf(first.result)).toBe('created')
  const { id } = first.result.structuredContent
  expect(id).toBeTypeOf('string')
  const replays = await Promise.all(Array.from({ length: 100 }, () => answer()))
  expect(new Set(replays.map(({ result }) => result.structuredContent.id))).toEqual(new Set([id]))
}
