import { outcomes } from '@agentic-rest/profile'
import { refusal } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import { JWKS_PATH } from '../upstream/signed-identity.ts'
import { sendJson, sendText } from './own-answer.ts'
import type { GatewayStatus, Parts } from './parts.ts'
import { respond } from './respond.ts'

/** The methods of the gateway's own paths. */
export const ownMethods: readonly string[] = ['GET', 'HEAD']

const METRICS_PATH = '/metrics'

type Endpoint = (exchange: Exchange, parts: Parts) => Promise<void>

/** `/healthz`, `/readyz`, `/metrics` and the key set: on the main port, without a token. */
const endpoints: ReadonlyMap<string, Endpoint> = new Map<string, Endpoint>([
  ['/healthz', async (exchange) => sendJson(exchange, { status: 'ok' })],
  ['/readyz', (exchange, { status }) => sendReadiness(exchange, status)],
  [METRICS_PATH, (exchange, { status }) => sendMetrics(exchange, status)],
  [JWKS_PATH, sendKeys],
])

/** Answers a request for one of the gateway's own paths; false when it is for a route. */
export function answerOwnPath(exchange: Exchange, parts: Parts): boolean {
  const endpoint = endpoints.get(exchange.path)
  if (endpoint === undefined || exchange.headFault !== undefined) return false
  // No route gets the path: a service must not be taken for the gateway's metrics.
  if (exchange.path === METRICS_PATH && parts.snapshot.config.gateway.metrics.port === 'admin') {
    respond(exchange, refusal('ROUTE_NOT_FOUND'))
    return true
  }
  exchange.allowedMethods = ownMethods
  if (ownMethods.includes(exchange.method))
    void endpoint(exchange, parts).catch(() => exchange.reply.destroy())
  else respond(exchange, refusal('METHOD_NOT_ALLOWED'))
  return true
}

/** An issuer that is down is reported but does not fail readiness: it must not take the gateway away. */
async function sendReadiness(exchange: Exchange, { isDraining, degraded }: GatewayStatus): Promise<void> {
  if (isDraining()) respond(exchange, refusal('SHUTTING_DOWN'))
  else sendJson(exchange, { status: 'ready', degraded: await degraded() })
}

/** Services verify the signed identity of callers with these keys. */
async function sendKeys(exchange: Exchange, { snapshot }: Parts): Promise<void> {
  if (snapshot.signer === undefined) respond(exchange, refusal('ROUTE_NOT_FOUND'))
  else sendJson(exchange, snapshot.signer.jwks)
}

async function sendMetrics(exchange: Exchange, { metrics }: GatewayStatus): Promise<void> {
  const { contentType: type, text } = await metrics.expose()
  sendText(exchange, { status: outcomes.success.status, type, text })
}
