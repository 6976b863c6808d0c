import { headers as headerNames, outcomes, PROFILE_VERSION } from '@agentic-rest/profile'
import { refusal } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import type { GatewayStatus, Parts } from './parts.ts'
import { respond } from './respond.ts'

/** The methods of the gateway's own paths. */
export const ownMethods: readonly string[] = ['GET', 'HEAD']

/** `/healthz`, `/readyz` and `/metrics`: on the main port, without a token. */
const endpoints: ReadonlyMap<string, (exchange: Exchange, status: GatewayStatus) => Promise<void>> = new Map([
  ['/healthz', async (exchange) => sendJson(exchange, { status: 'ok' })],
  ['/readyz', sendReadiness],
  ['/metrics', sendMetrics],
])

/** Answers a request for one of the gateway's own paths; false when it is for a route. */
export function answerOwnPath(exchange: Exchange, { status }: Parts): boolean {
  const endpoint = endpoints.get(exchange.path)
  if (endpoint === undefined || exchange.headFault !== undefined) return false
  exchange.allowedMethods = ownMethods
  if (ownMethods.includes(exchange.method))
    void endpoint(exchange, status).catch(() => exchange.reply.destroy())
  else respond(exchange, refusal('METHOD_NOT_ALLOWED'))
  return true
}

/** An issuer that is down is reported but does not fail readiness: it must not take the gateway away. */
async function sendReadiness(exchange: Exchange, { isDraining, degraded }: GatewayStatus): Promise<void> {
  if (isDraining()) respond(exchange, refusal('SHUTTING_DOWN'))
  else sendJson(exchange, { status: 'ready', degraded: await degraded() })
}

async function sendMetrics(exchange: Exchange, { metrics }: GatewayStatus): Promise<void> {
  const { contentType, text } = await metrics.expose()
  sendText(exchange, contentType, text)
}

function sendJson(exchange: Exchange, body: unknown): void {
  sendText(exchange, outcomes.success.mediaType, JSON.stringify(body))
}

function sendText({ reply, trace, method }: Exchange, contentType: string, text: string): void {
  const bytes = Buffer.from(text)
  const headers = {
    [headerNames.contentType]: contentType,
    'Content-Length': String(bytes.length),
    'Cache-Control': 'no-store',
    [headerNames.profile]: PROFILE_VERSION,
    [headerNames.correlationId]: trace.correlationId,
    [headerNames.requestId]: trace.requestId,
  }
  reply.head(outcomes.success.status, Object.entries(headers).flat())
  reply.end(method === 'HEAD' ? undefined : bytes)
}
