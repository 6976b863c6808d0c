import type { Exchange } from '../exchange.ts'
import { isSameOrigin } from '../listen/same-origin.ts'
import { type AdminAnswer, faultAnswer } from './answer.ts'

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]']

/** A host in the form of a URL. */
export function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/** The host of a request, without its port. */
export function hostName(exchange: Pick<Exchange, 'headers'>): string {
  return (exchange.headers['host'] ?? '').replace(/:\d*$/, '').toLowerCase()
}

/** The host names of the admin listener. */
export function ownNames(host: string, others: readonly string[]): ReadonlySet<string> {
  return new Set([...LOOPBACK_NAMES, urlHost(host), ...others.map(urlHost)].map((name) => name.toLowerCase()))
}

const SAFE_METHODS = ['GET', 'HEAD']

/** Below it the page sends requests through the gateway, as the person of its session. */
export const AS_ME_PATH = '/api/as-me'

/** The path where browsers sign in and out. */
export const SESSION_PATH = '/session'

/**
 * Refuses requests that another site made a browser send. A page can bind its own name to this address (DNS rebinding):
 * its requests have a foreign `Host`. Any page can send a form here: such a request has a foreign `Origin`.
 */
export function refuseForeign(exchange: Exchange, names: ReadonlySet<string>): AdminAnswer | undefined {
  if (!names.has(hostName(exchange))) return faultAnswer('FOREIGN_HOST', 'This host is not served here.')
  if (isNavigation(exchange) || isSameOrigin(exchange.headers)) return undefined
  return faultAnswer('FOREIGN_ORIGIN', 'Another site may not do this.')
}

/** Whether people open a path in a browser; the page and programs request all others. */
export function isPagePath(path: string): boolean {
  return !path.startsWith('/api/') && path !== SESSION_PATH
}

/** A link on another site may lead to a page. Embedded pictures, scripts and feeds are refused: each uses a connection. */
function isNavigation({ method, path, headers }: Exchange): boolean {
  if (!SAFE_METHODS.includes(method) || !isPagePath(path) || headers['origin'] !== undefined) return false
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
}
