import { secretKey, signToken } from '@agentic-rest/testing/sign-token'
import { startGateway, type TestGateway } from '@agentic-rest/testing/start-gateway'
import { startUpstream, type TestUpstream, traceOf } from '@agentic-rest/testing/start-upstream'
import { definePlugin, type Exchange, type GivenPlugin, type PluginHooks } from '../../src/index.ts'

/** A gateway with custom plugins in front of an upstream that answers everything with 200. */
export interface PluginTest extends TestGateway {
  readonly upstream: TestUpstream
}

/** The settings of a test. */
export interface PluginTestOptions {
  readonly gateway?: Record<string, unknown>
  readonly plugins?: Record<string, unknown>
  readonly route?: Record<string, unknown>
}

/** Starts both; `GET` and `POST /items/{itemId}` lead to the upstream. */
export async function startWithPlugins(
  given: readonly GivenPlugin[],
  { gateway = {}, plugins = {}, route = {} }: PluginTestOptions = {},
): Promise<PluginTest> {
  const upstream = await startUpstream((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ trace: traceOf(request) }))
  })
  const routes = ['GET', 'POST'].map((method) => ({
    id: `${method} item`,
    method,
    path: '/items/{itemId}',
    target: upstream.url,
    ...route,
  }))
  const started = await startGateway({ gateway, plugins, routes }, { plugins: given })
  return { ...started, upstream }
}

/** A plugin without options, made of its hooks. */
export function pluginOf(hooks: PluginHooks, name = 'mine') {
  return definePlugin({ name, create: () => hooks })
}

/** A plugin that keeps every exchange its `request` sees. */
export function watchExchanges(name = 'watcher') {
  const seen: Exchange[] = []
  return { seen, plugin: pluginOf({ request: (exchange) => void seen.push(exchange) }, name) }
}

const SECRET = 'a secret of at least thirty-two characters'
const ISSUER = 'https://id.example.test'

/** The plugins section of a gateway that wants tokens of `tokenWith`. */
export const withTokens = {
  'token-validator': {
    issuers: [{ issuer: ISSUER, audience: ['agentic'], algorithms: ['HS256'], hs256_secret: SECRET }],
  },
  'tenant-injector': { allowed: ['acme'] },
}

/** A token that such a gateway accepts. */
export function tokenWith(claims: Record<string, unknown> = {}): Promise<string> {
  return signToken(ISSUER, secretKey(SECRET), {
    claims: { roles: ['reader'], tenant_id: 'acme', ...claims },
  })
}
