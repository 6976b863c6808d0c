import { Writable } from 'node:stream'
import type { TestConfig } from '@agentic-rest/testing/config-text'
import { readConfig } from '@agentic-rest/testing/read-config'
import { startUpstream, traceOf } from '@agentic-rest/testing/start-upstream'
import { onTestFinished } from 'vitest'
import {
  type AdminOptions,
  type ConfigSource,
  type ConfigWarning,
  createGateway,
  createLog,
  type Gateway,
  type GatewayOptions,
  type RecordTaker,
} from '../../../src/index.ts'

/** A gateway with an admin listener, in front of an upstream that answers everything with 200. */
export interface TestAdmin {
  readonly gateway: Gateway
  readonly url: string
  readonly adminUrl: string
  readonly adminPort: number
  readonly log: Record<string, unknown>[]
}

/** The options of a test. */
export interface AdminTest {
  readonly admin?: AdminOptions
  readonly settings?: Record<string, unknown>
  readonly config?: Partial<TestConfig>
  readonly onRecord?: RecordTaker
  readonly source?: ConfigSource
  readonly warnings?: readonly ConfigWarning[]
  readonly plugins?: GatewayOptions['plugins']
  readonly customPlugins?: GatewayOptions['customPlugins']
}

/** Development access with two people. */
export const development: NonNullable<AdminOptions['development']> = {
  people: async () => [{ sub: 'alice', tenant: 'acme', roles: ['a'] }],
  requestToken: async ({ sub }) => {
    if (sub === 'nobody') throw new Error('nobody is nobody')
    return { token: `token-of-${sub}`, expiresAt: '2030-01-01T00:00:00.000Z' }
  },
}

/** Starts a gateway, by default in development mode; it ends with the test. */
export async function startAdmin(test: AdminTest = {}): Promise<TestAdmin> {
  const {
    admin = { development },
    settings = {},
    config = {},
    onRecord,
    source,
    warnings,
    plugins,
    customPlugins,
  } = test
  const log: Record<string, unknown>[] = []
  const upstream = await startUpstream((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ trace: traceOf(request) }))
  })
  const gateway = createGateway({
    config: readConfig({
      routes: [{ id: 'read-item', method: 'GET', path: '/items/{itemId}', target: upstream.url }],
      ...config,
      gateway: { admin: { port: 0, ...settings }, ...config.gateway },
    }),
    baseFolder: import.meta.dirname,
    version: '0.0.0-test',
    stdout: new Writable({ write: (_chunk, _encoding, done) => done() }),
    log: createLog({ level: 'debug', pretty: false, write: (line) => log.push(JSON.parse(line)) }),
    admin,
    onRecord,
    source,
    warnings,
    plugins,
    customPlugins,
  })
  const port = await gateway.start()
  onTestFinished(() => gateway.close())
  const adminPort = gateway.adminPort ?? 0
  return {
    gateway,
    log,
    adminPort,
    url: `http://127.0.0.1:${port}`,
    adminUrl: `http://127.0.0.1:${adminPort}`,
  }
}

/** Sends a request with its own ids through the gateway. */
export async function sendItem(url: string, correlationId: string, item = '1'): Promise<void> {
  const headers = {
    'X-Tenant-ID': 'acme',
    'X-Correlation-ID': correlationId,
    'X-Request-ID': `req-${correlationId}`,
  }
  await (await fetch(`${url}/items/${item}`, { headers })).arrayBuffer()
}
