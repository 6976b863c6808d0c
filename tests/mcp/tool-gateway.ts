import { join } from 'node:path'
import { Writable } from 'node:stream'
import { createGateway, createLog, formatFaults, type GatewayConfig, loadConfig } from '@agentic-rest/gateway'
import { createStore, type Store } from '@agentic-rest/service'
import { startIssuer } from '@agentic-rest/testing/start-issuer'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished } from 'vitest'
import { CREATED_AT } from '../../examples/campaigns/src/demonstration-data.ts'
import { prepareTables } from '../../examples/campaigns/src/tables.ts'
import { startCampaigns } from '../../examples/campaigns/test/harness/start-campaigns.ts'
import { repositoryRoot } from '../../tools/packed-packages.ts'
import type { Json } from './official-clients.ts'

/** The address of the endpoint for tokens. */
export const PUBLIC_URL = 'https://agents.example.test/mcp'

/**
 * One database with the demonstration campaigns for the tests of a file, before each as at first: opening one takes a
 * second. Each file calls it: files of one process share this module, whose hooks would run for the first file alone.
 */
export function campaignStore(): Store {
  const store = createStore({ memory: true })
  beforeAll(() => prepareTables(store))
  beforeEach(async () => {
    const rows = await store.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE '%migration%'
         AND tablename NOT IN ('campaigns', 'daily_metrics')`,
    )
    await store.query(`TRUNCATE ${rows.map(({ name }) => name).join(', ')} RESTART IDENTITY`)
    await store.query('DELETE FROM campaigns WHERE created_at > $1', [CREATED_AT])
  })
  afterAll(() => store.close())
  return store
}

/** The campaign service, an issuer, and the configuration of the reference stack for both, without the service's own trust. */
export async function startCampaignWorld(store: Store) {
  const service = await startCampaigns({ store, stepMs: 150, forecastDayMs: undefined })
  const issuer = await startIssuer('RS256')
  onTestFinished(() => issuer.close())
  const environment = { PORT: '0', IDENTITY_URL: issuer.url, CAMPAIGNS_URL: service.url }
  const loaded = loadConfig(join(repositoryRoot, 'examples/stack/gateway.yaml'), environment)
  if (!loaded.ok) throw new Error(formatFaults(loaded.faults))
  const tokenOf = (sub: string, ...roles: string[]) =>
    issuer.token({ claims: { sub, aud: ['agentic', PUBLIC_URL], tenant_id: 'acme', roles } })
  /** How many optimizations there are: each is the effect of one call. */
  const effects = async () => {
    const [row] = await store.query('SELECT count(*)::int AS count FROM optimizations')
    return Number(row?.['count'])
  }
  return { config: withTools(loaded.config, service.url), service, issuer, tokenOf, effects }
}

/** Starts a gateway in this process; resolves with its address and everything that it writes. */
export async function startWritingGateway(config: GatewayConfig) {
  const written: string[] = []
  const take = (text: string) => void written.push(text)
  const gateway = createGateway({
    config,
    baseFolder: repositoryRoot,
    version: '0.0.0-test',
    stdout: new Writable({ write: (chunk, _encoding, done) => done(take(String(chunk))) }),
    log: createLog({ level: 'debug', pretty: false, write: take }),
  })
  const baseUrl = `http://127.0.0.1:${await gateway.start()}`
  onTestFinished(() => gateway.close())
  return { gateway, baseUrl, written }
}

/** Resolves when a gateway has all its tools. */
export async function untilComplete(baseUrl: string): Promise<void> {
  await expect.poll(async () => (await fetch(`${baseUrl}/readyz`)).json()).toMatchObject({ degraded: [] })
}

/** The gateway of the reference stack with every route of the campaign service as a tool. */
export async function startToolGateway(store: Store) {
  const { config, ...world } = await startCampaignWorld(store)
  const { baseUrl, written, gateway } = await startWritingGateway(config)
  await untilComplete(baseUrl)
  const records = () =>
    written
      .join('')
      .split('\n')
      .filter(Boolean)
      .map((line): Json => JSON.parse(line))
  return { ...world, gateway, baseUrl, url: `${baseUrl}/mcp`, written, records }
}

function withTools(config: GatewayConfig, target: string): GatewayConfig {
  // Started without `trust`, the service believes plain headers.
  const { admin: _, identity: __, ...gateway } = config.gateway
  const tool = { input: 'openapi', stream: 'off', idempotencyArgument: false } as const
  const validator = config.plugins['token-validator']
  const issuers = validator.issuers.map((issuer) => ({
    ...issuer,
    audience: [...issuer.audience, PUBLIC_URL],
  }))
  return {
    ...config,
    gateway,
    plugins: { ...config.plugins, 'token-validator': { ...validator, issuers } },
    mcp: {
      path: '/mcp',
      public_url: PUBLIC_URL,
      name: 'acme-agents',
      title: 'Agents of Acme',
      state_secrets: ['a secret of at least thirty-two bytes'],
      origins: [],
      legacy: 'sessions',
      hold_seconds: 20,
      approval_minutes: 1,
      max_body_bytes: 262_144,
      forward_authorization: false,
      list_ttl_seconds: 300,
    },
    routes: config.routes
      .filter((route) => route.target === target)
      .map((route) => ({ ...route, mcp: tool })),
  }
}
