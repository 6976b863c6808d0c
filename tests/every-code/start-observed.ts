import type { TestConfig } from '@agentic-rest/testing/config-text'
import type { RequestOptions } from '@agentic-rest/testing/send-request'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { startGateway, type TestGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { onTestFinished } from 'vitest'
import type { GatewayOptions } from '../../packages/gateway/src/index.ts'
import { startCollector } from '../../packages/gateway/test/plugins/otel-audit/collector.ts'

/** A gateway with an admin listener that records everything, refused requests included. */
export interface ObservedGateway extends TestGateway {
  readonly adminUrl: string
}

/** The differences of a gateway from an ordinary one: one route `items` to an upstream that answers with 200. */
export interface ObservedConfig extends Partial<Omit<TestConfig, 'routes'>> {
  /** Keys of the route. */
  readonly route?: Readonly<Record<string, unknown>>
  readonly options?: Partial<GatewayOptions>
}

/** Starts the gateway of a provocation. */
export type StartObserved = (config?: ObservedConfig) => Promise<ObservedGateway>

/** The id of the only route. */
export const ROUTE = 'items'

/** Starts gateways whose records go to one place; `seen` has them all. */
async function observe(audit: Record<string, unknown>) {
  const seen: ObservedGateway[] = []
  const start: StartObserved = async ({ gateway = {}, plugins = {}, route = {}, options = {} } = {}) => {
    const upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
    const started = await startGateway(
      {
        gateway: { admin: { port: 0 }, ...gateway },
        plugins: { 'otel-audit': { include_rejected: true, ...audit }, ...plugins },
        routes: [{ id: ROUTE, method: 'POST', path: '/items/{itemId}', target: upstream.url, ...route }],
      },
      { admin: { development: { people: async () => [], requestToken } }, ...options },
    )
    const observed = { ...started, adminUrl: `http://127.0.0.1:${started.gateway.adminPort}` }
    seen.push(observed)
    return observed
  }
  return { start, seen }
}

const requestToken = () => Promise.reject(new Error('nobody needs a token here'))

/** Records as lines. */
export const observeLines = () => observe({ exporter: 'stdout' })

/** Records as spans of a real collector. */
export async function observeSpans() {
  const collector = await startCollector()
  onTestFinished(() => collector.kill())
  return { ...(await observe({ exporter: 'otlp', otlp_endpoint: collector.url })), spans: collector.spans }
}

/** Sends a request to the route. */
export function askItems({ url }: Pick<TestGateway, 'url'>, options: RequestOptions = {}) {
  return sendRequest(`${url}/items/7`, { method: 'POST', ...options })
}

/** The ids of a request that only prepares the one with the code. */
export const other = { 'x-request-id': 'other-request', 'x-correlation-id': 'other-correlation' }
