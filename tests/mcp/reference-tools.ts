import { join } from 'node:path'
import { Writable } from 'node:stream'
import { createGateway, createLog, formatFaults, loadConfig } from '@agentic-rest/gateway'
import type { OutcomeType } from '@agentic-rest/profile'
import { createStore, jsonLinesLog } from '@agentic-rest/service'
import { freePort } from '@agentic-rest/testing/free-port'
import { openServer } from '@agentic-rest/testing/open-server'
import { getRequestListener } from '@hono/node-server'
import { expect, vi } from 'vitest'
import { createCampaignsApp } from '../../examples/campaigns/src/campaigns-app.ts'
import { prepareTables } from '../../examples/campaigns/src/tables.ts'
import { startIdentity } from '../../examples/identity/src/identity.ts'
import { requestTokenAt } from '../../examples/stack/src/request-token.ts'
import { repositoryRoot } from '../../tools/packed-packages.ts'

/** The gateway, the campaigns and the identity provider of the reference stack, in this process. */
export interface ReferenceTools {
  /** The address of the MCP endpoint. */
  readonly url: string
  readonly issuer: string
  tokenOf(person: string): string
  /** Approves as dave, by the address that a client got. */
  approve(approvalUrl: string): Promise<void>
  close(): Promise<void>
}

// Work in the background lasts as long as the test, so that it is in the way of every client.
const STEP_MS = 3_600_000
/** The goal of that work. */
const BUSY_GOAL = 'reach'

/** Starts these parts with the configuration of the stack. */
export async function startReferenceTools(): Promise<ReferenceTools> {
  const campaigns = await startCampaigns()
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const url = `${baseUrl}/mcp`
  const identity = await startIdentity({ port: 0, serviceAccounts: new Map(), mcpResource: url })
  const { issuer } = identity
  const gateway = createStackGateway({
    PORT: String(port),
    GATEWAY_URL: baseUrl,
    IDENTITY_URL: issuer,
    CAMPAIGNS_URL: campaigns.url,
  })
  await gateway.start()
  await vi.waitFor(
    async () => expect(await (await fetch(`${baseUrl}/readyz`)).json()).toMatchObject({ degraded: [] }),
    { timeout: 120_000 },
  )
  const tokens = new Map<string, string>()
  for (const sub of ['alice', 'bob', 'dave']) tokens.set(sub, (await requestTokenAt(issuer, { sub })).token)
  const tokenOf = (person: string) => tokens.get(person) ?? ''
  const post = async (address: string, person: string, more: RequestInit = {}) => {
    const headers = { ...more.headers, Authorization: `Bearer ${tokenOf(person)}` }
    return (await fetch(address, { ...more, method: 'POST', headers })).status
  }
  const busy = await post(`${baseUrl}/campaigns/cmp-123/optimizations`, 'alice', {
    headers: { 'Content-Type': 'application/json', Prefer: 'respond-async' },
    body: JSON.stringify({ goal: BUSY_GOAL }),
  })
  expect(busy).toBe(202)
  return {
    url,
    issuer,
    tokenOf,
    async approve(approvalUrl) {
      expect(await post(`${approvalUrl}/approve`, 'dave')).toBe(200)
    },
    async close() {
      await gateway.close()
      identity.close()
      await campaigns.close()
    },
  }
}

function createStackGateway(environment: NodeJS.ProcessEnv) {
  const loaded = loadConfig(join(repositoryRoot, 'examples/stack/gateway.yaml'), environment)
  if (!loaded.ok) throw new Error(formatFaults(loaded.faults))
  // Started without `trust`, the service believes plain headers.
  const { admin: _, identity: __, ...gateway } = loaded.config.gateway
  return createGateway({
    config: { ...loaded.config, gateway },
    baseFolder: repositoryRoot,
    version: '0.0.0-test',
    stdout: new Writable({ write: (_chunk, _encoding, done) => done() }),
    log: createLog({ level: 'error', pretty: false, write: () => undefined }),
  })
}

async function startCampaigns() {
  const store = createStore({ memory: true })
  await prepareTables(store)
  const log = jsonLinesLog(() => undefined)
  const { app, close } = createCampaignsApp({ store, stepMs: STEP_MS, closeSeconds: 0, log })
  const server = await openServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }))
  return {
    url: server.url,
    async close() {
      await server.close()
      await close()
      await store.close()
    },
  }
}

/** A call of a tool by one of the people. */
export interface ToolCall {
  readonly person: 'alice' | 'bob'
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

const optimize = (
  campaignId: string,
  more: Readonly<Record<string, unknown>>,
  person: ToolCall['person'] = 'alice',
): ToolCall => ({ person, name: 'create-optimization', arguments: { campaignId, ...more } })

/** The call that the campaign service answers with each outcome. */
export const callOf: Readonly<Record<OutcomeType, ToolCall>> = {
  success: { person: 'alice', name: 'read-campaign', arguments: { campaignId: 'cmp-123' } },
  created: optimize('cmp-123', { goal: 'ctr' }),
  // The answer to a client that can wait for it; these clients declare no tasks.
  accepted: optimize('cmp-123', { goal: 'cpl' }),
  clarification_required: optimize('cmp-123', {}),
  validation_failed: optimize('cmp-123', { goal: 'no goal' }),
  approval_required: optimize('cmp-enterprise', { goal: 'ctr' }),
  forbidden: optimize('cmp-123', { goal: 'ctr' }, 'bob'),
  conflict: optimize('cmp-123', { goal: BUSY_GOAL }),
  failed_dependency: optimize('cmp-offline', { goal: 'ctr' }),
  error: optimize('cmp-corrupt', { goal: 'ctr' }),
}

/** The type of each outcome for a client that asks its person: questions and approvals end well. */
export const seenWithPerson: Readonly<Record<OutcomeType, OutcomeType>> = {
  success: 'success',
  created: 'created',
  accepted: 'created',
  clarification_required: 'created',
  validation_failed: 'validation_failed',
  approval_required: 'created',
  forbidden: 'forbidden',
  conflict: 'conflict',
  failed_dependency: 'failed_dependency',
  error: 'error',
}

/** The type of each outcome for a client that asks nobody. */
export const seenAlone: Readonly<Record<OutcomeType, OutcomeType>> = {
  ...seenWithPerson,
  clarification_required: 'clarification_required',
  approval_required: 'approval_required',
}
