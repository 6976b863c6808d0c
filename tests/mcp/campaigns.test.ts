import { join } from 'node:path'
import { Writable } from 'node:stream'
import { createGateway, createLog, formatFaults, loadConfig } from '@agentic-rest/gateway'
import { createStore } from '@agentic-rest/service'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { prepareTables } from '../../examples/campaigns/src/tables.ts'
import { startCampaigns } from '../../examples/campaigns/test/harness/start-campaigns.ts'
import { startIssuer } from '../../packages/gateway/test/plugins/token-validator/issuer-server.ts'
import { createCatalogue, createFacade, type Send, systemEnvironment } from '../../packages/mcp/src/index.ts'
import { repositoryRoot } from '../packed-packages.ts'
import { startMcpServer } from './http-server.ts'
import { clientKinds, connectClient, type Json, type Person } from './official-clients.ts'

const store = createStore({ memory: true })
beforeAll(() => prepareTables(store))
afterAll(() => store.close())

/** The campaign service behind its gateway, which an endpoint calls over HTTP. */
async function startCampaignTools() {
  const service = await startCampaigns({ store, stepMs: 150, forecastDayMs: undefined })
  const issuer = await startIssuer('RS256')
  const environment = { PORT: '0', IDENTITY_URL: issuer.url, CAMPAIGNS_URL: service.url }
  const loaded = loadConfig(join(repositoryRoot, 'examples/stack/gateway.yaml'), environment)
  if (!loaded.ok) throw new Error(formatFaults(loaded.faults))
  // Started without `trust`, the service believes plain headers.
  const { admin: _, identity: __, ...own } = loaded.config.gateway
  const gateway = createGateway({
    config: { ...loaded.config, gateway: own },
    baseFolder: repositoryRoot,
    version: '0.0.0-test',
    stdout: new Writable({ write: (_chunk, _encoding, done) => done() }),
    log: createLog({ level: 'error', pretty: false, write: () => undefined }),
  })
  const baseUrl = `http://127.0.0.1:${await gateway.start()}`
  const send: Send = async ({ method, path, headers, body, signal }) => {
    const answer = await fetch(baseUrl + path, { method, headers, body: body ?? null, signal })
    return { status: answer.status, headers: answer.headers, body: await answer.text() }
  }
  const catalogue = createCatalogue({
    routes: loaded.config.routes
      .filter(({ target }) => target === service.url)
      .map(({ id, method, path }) => ({ id, method, path, target: service.url, mcp: {} })),
    environment: systemEnvironment,
    refreshSeconds: 300,
    load: async (target, signal) => (await fetch(`${target}/openapi.json`, { signal })).json(),
    onChange: () => undefined,
  })
  await catalogue.ready
  const server = await startMcpServer({
    host: (parts) =>
      createFacade({
        ...parts,
        holdSeconds: 20,
        approvalMinutes: 1,
        tools: () => catalogue.tools,
        mayUse: () => true,
        canPoll: () => true,
        send,
      }),
  })
  onTestFinished(async () => {
    catalogue.close()
    await server.stop()
    await gateway.close()
    await issuer.close()
  })
  const tokenOf = (sub: string, ...roles: string[]) =>
    issuer.token({ claims: { sub, aud: 'agentic', tenant_id: 'acme', roles } })
  return { server, baseUrl, catalogue, tokenOf }
}

const typeOf = (result: Json) => result._meta['org.agentic-rest/outcome'].type

test('every route of the service is a tool with a schema', async () => {
  const { catalogue } = await startCampaignTools()
  expect(catalogue.faults).toEqual([])
  const tool = catalogue.tools.find(({ definition }) => definition.name === 'create-optimization')
  expect(tool).toMatchObject({ canAnswerLater: true, isIdempotent: true })
  expect(tool?.definition.inputSchema).toMatchObject({
    required: ['campaignId'],
    properties: { goal: { description: expect.stringMatching(/Asked for when missing\.$/) } },
  })
})

describe.each(clientKinds)('%s', (kind) => {
  test('gets the outcomes of the campaign service through its gateway', async () => {
    const { server, baseUrl, tokenOf } = await startCampaignTools()
    const dave = await tokenOf('dave', 'campaign:approve')
    const person: Person = {
      asked: [],
      async answer({ mode, url }) {
        if (mode !== 'url') return { action: 'accept', content: { goal: 'ctr' } }
        const headers = { Authorization: `Bearer ${dave}` }
        const decided = await fetch(`${baseUrl}${new URL(url).pathname}/approve`, { method: 'POST', headers })
        expect(decided.status).toBe(200)
        return { action: 'accept' }
      },
    }
    const alice = await connectClient(kind, server.url, {
      ...person,
      token: await tokenOf('alice', 'campaign:optimize'),
    })
    const bob = await connectClient(kind, server.url, { ...person, token: await tokenOf('bob') })
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
    expect(server.errors).toEqual([])
  })
})

test('work in the background is a task to its end, and a conflict for others meanwhile', async () => {
  const { server, tokenOf } = await startCampaignTools()
  const token = await tokenOf('alice', 'campaign:optimize')
  const ask = async (method: string, params: Json) => {
    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    }
    const answer = await fetch(server.url, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': method,
        'Mcp-Name': params.taskId ?? params.name,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
    })
    const message: Json = await answer.json()
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
})
