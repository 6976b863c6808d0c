import type { Exchange } from '../exchange.ts'
import { type AdminAnswer, faultAnswer } from './answer.ts'

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]']

/** Whether an address is one that only this machine reaches. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)
}

/** A host as it stands in an address. */
export function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/** The host of a request, without its port. */
export function hostName(exchange: Pick<Exchange, 'headers'>): string {
  return withoutPort(exchange.headers['host'] ?? '')
}

/** The names by which the admin listener is asked for. */
export function ownNames(host: string, others: readonly string[]): ReadonlySet<string> {
  return new Set([...LOOPBACK_NAMES, urlHost(host), ...others.map(urlHost)].map((name) => name.toLowerCase()))
}

const SAFE_METHODS = ['GET', 'HEAD']

/** Where browsers sign in and out. */
export const SESSION_PATH = '/session'

/**
 * Refuses what another site made a browser send. A page whose own name was bound to this address sends that name as
 * Host; any page can send a form here, with its own origin.
 */
export function refuseForeign(exchange: Exchange, names: ReadonlySet<string>): AdminAnswer | undefined {
  if (!names.has(hostName(exchange))) return faultAnswer('FOREIGN_HOST', 'This host is not served here.')
  if (isNavigation(exchange) || isSameOrigin(exchange.headers)) return undefined
  return faultAnswer('FOREIGN_ORIGIN', 'Another site may not do this.')
}

/** Whether a path is one that people open, not one that the page or a program asks. */
export function isPagePath(path: string): boolean {
  return !path.startsWith('/api/') && path !== SESSION_PATH
}

/** A link from another site may lead to a page. Pictures, scripts and feeds may not be had: each would take a place. */
function isNavigation({ method, path, headers }: Exchange): boolean {
  if (!SAFE_METHODS.includes(method) || !isPagePath(path) || headers['origin'] !== undefined) return false
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
}

/** Only browsers send an origin; a service that posts records has none. */
function isSameOrigin(headers: Exchange['headers']): boolean {
  const { origin, host = '', 'sec-fetch-site': site = 'none' } = headers
  if (!['none', 'same-origin'].includes(site)) return false
  // A proxy in front may speak https: the scheme is not compared.
  return origin === undefined || origin.replace(/^https?:\/\//, '').toLowerCase() === host.toLowerCase()
}

function withoutPort(host: string): string {
  return host.replace(/:\d*$/, '').toLowerCase()
}
