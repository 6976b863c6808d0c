import { conditions, headers, outcomes, parseJson } from '@agentic-rest/profile'
import { type AdminReading, adminBodies } from '@agentic-rest/profile/admin'
import { type AuditRecord, readRecord } from './audit-records.ts'
import type { GatewayInfo, Person, RouteList, Usage } from './bodies.ts'
import { type ExchangeDetail, readExchangeDetail } from './exchange-detail.ts'
import { type RequestPage, readRequestPage } from './feed-events.ts'
import { type RecentExchange, readRecent } from './recent-exchanges.ts'

/** A failed request to the admin listener. */
export class AdminError extends Error {
  override readonly name = 'AdminError'
  /** Absent without an answer. */
  readonly status: number | undefined

  constructor(message: string, status?: number) {
    super(message)
    this.status = status
  }
}

/** The API of the admin listener. */
export const adminApi = {
  gateway: async (): Promise<GatewayInfo> => adminBodies.Gateway.read(await ask('/api/gateway')),
  routes: async (): Promise<RouteList> => adminBodies.Routes.read(await ask('/api/routes')),
  /** The OpenAPI document of the service behind a route. */
  async openapi(routeId: string): Promise<unknown> {
    const body = await ask(`/api/openapi?route=${encodeURIComponent(routeId)}`)
    return adminBodies.ServiceDocument.read(body).document
  },
  /** Ends the session of this browser; resolves with the address where it ends at the identity provider, if there is one. */
  async signOut(): Promise<string | undefined> {
    const { next } = Object(await ask('/session', { method: 'DELETE' })) as { readonly next?: unknown }
    return typeof next === 'string' ? next : undefined
  },
  /** So many exchanges, newest first; with a time only those until then. */
  async recent(limit: number, until?: string): Promise<RecentExchange[]> {
    const rest = until === undefined ? '' : `&until=${encodeURIComponent(until)}`
    return readRecent(await ask(`/api/recent?limit=${limit}${rest}`))
  },
  /** The newest remembered requests, or those that `next` of a page leads to. */
  async requests(before: number | undefined): Promise<RequestPage> {
    return readRequestPage(await ask(`/api/requests${before === undefined ? '' : `?before=${before}`}`))
  },
  /** One remembered request, step by step: of several with one id that of the span, or the newest without a span. */
  async exchange(requestId: string, spanId: string): Promise<ExchangeDetail> {
    const span = spanId === '' ? '' : `?span_id=${encodeURIComponent(spanId)}`
    return readExchangeDetail(await ask(`/api/exchanges/${encodeURIComponent(requestId)}${span}`))
  },
  async records(correlationId: string): Promise<AuditRecord[]> {
    const body = await ask(`/api/records?correlation_id=${encodeURIComponent(correlationId)}`)
    // The records themselves are shown too.
    const { records } = Object(body) as { readonly records?: unknown }
    return Array.isArray(records) ? records.map(readRecord) : []
  },
  /** The usage of one tenant, or of the most active ones without a name. */
  async usage(tenant: string): Promise<Usage> {
    const query = tenant === '' ? '' : `?tenant=${encodeURIComponent(tenant)}`
    return adminBodies.Usage.read(await ask(`/api/usage${query}`))
  },
  async token({ sub, tenant, roles }: Person): Promise<AdminReading<'Token'>> {
    const body = JSON.stringify({ sub, tenant, roles })
    return adminBodies.Token.read(await ask('/api/token', { method: 'POST', headers: jsonHeaders(), body }))
  },
}

/** Whether the gateway refuses this browser. An event source does not distinguish a refusal from no answer. */
export async function isSignedOut(): Promise<boolean> {
  try {
    await ask('/api/gateway')
    return false
  } catch (error) {
    return error instanceof AdminError && error.status === conditions.unauthenticated
  }
}

function jsonHeaders(): Headers {
  const fields = new Headers()
  fields.set(headers.contentType, outcomes.success.mediaType)
  return fields
}

// A gateway that hangs accepts connections and never answers.
const ANSWER_MS = 10_000

async function ask(path: string, init: RequestInit = {}): Promise<unknown> {
  const { response, text } = await exchange(path, init).catch(function explain() {
    throw new AdminError('The gateway does not answer. Is it running?')
  })
  if (!response.ok) throw new AdminError(refusalOf(response.status, text), response.status)
  return parseJson(text, { isMessage: true }).value
}

async function exchange(path: string, init: RequestInit) {
  const response = await fetch(path, { ...init, signal: AbortSignal.timeout(ANSWER_MS) })
  return { response, text: await response.text() }
}

function refusalOf(status: number, text: string): string {
  if (status === conditions.unauthenticated) return 'You are signed out. Reload the page to sign in.'
  return (
    adminBodies.Fault.read(parseJson(text).value).message || `The gateway answered with status ${status}.`
  )
}
