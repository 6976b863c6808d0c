import { headers as headerNames, outcomes, PROFILE_VERSION } from '@agentic-rest/profile'
import { refusal } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import type { Exposition } from '../metrics/registry.ts'
import { sendOutcome } from './respond.ts'

/** What the gateway says about itself. */
export interface OwnEndpoints {
  /** Answers a request for one of the gateway's own paths; false when it is for a route. */
  answer(exchange: Exchange): boolean
}

/** What the endpoints report. */
export interface OwnState {
  readonly metrics: { expose(): Exposition | Promise<Exposition> }
  readonly isDraining: () => boolean
  /** Why the gateway is less than ready without being unready. */
  readonly degraded: () => readonly string[] | Promise<readonly string[]>
}

/** The methods of the gateway's own paths. */
export const ownMethods: readonly string[] = ['GET', 'HEAD']

/** `/healthz`, `/readyz` and `/metrics`: on the main port, without a token. */
export function createOwnEndpoints(state: OwnState): OwnEndpoints {
  const endpoints = new Map<string, (exchange: Exchange) => void>([
    ['/healthz', (exchange) => sendJson(exchange, { status: 'ok' })],
    ['/readyz', (exchange) => answerLater(exchange, answerReadiness(exchange, state))],
    ['/metrics', (exchange) => answerLater(exchange, sendMetrics(exchange, state.metrics))],
  ])
  return {
    answer(exchange) {
      const endpoint = endpoints.get(exchange.path)
      if (endpoint === undefined || exchange.headFault !== undefined) return false
      exchange.allowedMethods = ownMethods
      if (ownMethods.includes(exchange.method)) endpoint(exchange)
      else sendOutcome(exchange, refusal('METHOD_NOT_ALLOWED'))
      return true
    },
  }
}

function answerLater(exchange: Exchange, answering: Promise<void>): void {
  void answering.catch(() => exchange.reply.destroy())
}

/** An issuer that is down is told but does not fail readiness: it must not take the gateway away. */
async function answerReadiness(exchange: Exchange, { isDraining, degraded }: OwnState): Promise<void> {
  if (isDraining()) sendOutcome(exchange, refusal('SHUTTING_DOWN'))
  else sendJson(exchange, { status: 'ready', degraded: await degraded() })
}

async function sendMetrics(exchange: Exchange, metrics: OwnState['metrics']): Promise<void> {
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
