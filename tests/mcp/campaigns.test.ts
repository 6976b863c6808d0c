import { describe, expect, onTestFinished, test } from 'vitest'
import { createCatalogue, createFacade, type Send, systemEnvironment } from '../../packages/mcp/src/index.ts'
import { optimize, walkBackground, walkOutcomes } from './campaign-flow.ts'
import { startMcpServer } from './http-server.ts'
import { clientKinds, connectClient } from './official-clients.ts'
import { campaignStore, startCampaignWorld, startWritingGateway } from './tool-gateway.ts'

const store = campaignStore()

/** The campaign service behind its gateway, which an endpoint calls over HTTP. */
async function startCampaignTools() {
  const { config, service, tokenOf } = await startCampaignWorld(store)
  const { mcp: _, ...plain } = config
  const { baseUrl } = await startWritingGateway(plain)
  const send: Send = async ({ method, path, headers, body, signal }) => {
    const answer = await fetch(baseUrl + path, { method, headers, body: body ?? null, signal })
    return { status: answer.status, headers: answer.headers, body: await answer.text() }
  }
  const catalogue = createCatalogue({
    routes: config.routes.map(({ id, method, path }) => ({ id, method, path, target: service.url, mcp: {} })),
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
        canFollow: () => true,
        send,
      }),
  })
  onTestFinished(async () => {
    catalogue.close()
    await server.stop()
  })
  return { server, baseUrl, catalogue, tokenOf }
}

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
    await walkOutcomes({ baseUrl, tokenOf, connect: (person) => connectClient(kind, server.url, person) })
    const bob = await connectClient(kind, server.url, {
      asked: [],
      answer: () => ({ action: 'decline' }),
      token: await tokenOf('bob'),
    })
    expect(await optimize(bob, 'cmp-123', { goal: 'ctr' })).toBe('forbidden')
    await bob.close()
    expect(server.errors).toEqual([])
  })
})

test('work in the background is a task to its end, and a conflict for others meanwhile', async () => {
  const { server, tokenOf } = await startCampaignTools()
  await walkBackground(server.url, await tokenOf('alice', 'campaign:optimize'))
})
