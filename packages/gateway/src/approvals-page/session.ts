import { headerKeys } from '@agentic-rest/profile'
import type { Exchange } from '../exchange.ts'
import { isReachedByHttps, isSameOrigin } from '../listen/same-origin.ts'
import type { EndedSession, EndedSessions } from './ended-sessions.ts'
import { type OpenedSession, SESSION_SECONDS, type TokenSeal } from './sealed-token.ts'

/** What the sessions of the approval page need. */
export interface PageSessions {
  readonly seal: TokenSeal
  readonly ended: EndedSessions
  /** Ends a session in the other workers of this gateway; resolves when they know it. */
  readonly spread: (session: EndedSession) => Promise<void>
}

/** The paths that the cookie is sent to. */
export const APPROVALS_PATH = '/approvals'

/** Where the page signs a browser in and out. */
export const SESSION_PATH = `${APPROVALS_PATH}/session`

/**
 * Only a script of the page's own origin can send it: for another origin a browser asks first (CORS), and the gateway
 * never allows this header.
 */
const PAGE_HEADER = 'x-agentic-page'

/** Whether a browser sends the cookie with a request for this path. */
export function isBelowApprovals({ path }: Pick<Exchange, 'path'>): boolean {
  return path === APPROVALS_PATH || path.startsWith(`${APPROVALS_PATH}/`)
}

/** Whether the script of the page sent a request. Forms, pictures, links and pages of other origins did not. */
export function isFromPage({ headers }: Pick<Exchange, 'headers'>): boolean {
  return headers[PAGE_HEADER] !== undefined && isSameOrigin(headers)
}

/** The `Set-Cookie` header of a new session. */
export function sessionCookie(exchange: Exchange, sealed: string): string {
  return cookie(exchange, sealed, SESSION_SECONDS)
}

/** The `Set-Cookie` header that ends a session in the browser. */
export function endedCookie(exchange: Exchange): string {
  return cookie(exchange, '', 0)
}

function cookie(exchange: Exchange, value: string, seconds: number): string {
  const secure = isReachedByHttps(exchange) ? '; Secure' : ''
  return `${cookieName(exchange)}=${value}; HttpOnly; SameSite=Strict; Path=${APPROVALS_PATH}; Max-Age=${seconds}${secure}`
}

/** Contains the port that the browser uses: all ports of a host share their cookies. */
function cookieName({ headers }: Pick<Exchange, 'headers'>): string {
  const [, port = 'default'] = /:(\d+)$/.exec(headers['host'] ?? '') ?? []
  return `agentic-approvals-${port}`
}

/**
 * Gives a request of the page the token of its cookie, so that it passes the gateway like any request with a token. The
 * cookie itself never reaches a service.
 */
export function useSession(exchange: Exchange, sessions: PageSessions): void {
  const { headers } = exchange
  const { own, others } = readCookies(exchange)
  if (own === undefined) return
  const sent = headers[headerKeys.authorization]
  const isUsed = sent === undefined && isFromPage(exchange)
  const token = isUsed ? openSession(own, sessions)?.token : undefined
  exchange.headers = Object.assign(Object.create(null), headers, {
    cookie: others === '' ? undefined : others,
    [headerKeys.authorization]: token === undefined ? sent : `Bearer ${token}`,
  })
  exchange.rawHeaders = withoutCookie(exchange.rawHeaders, others)
}

/** Ends the session of a request for good: its cookie opens no more. Resolves when all workers know it. */
export async function endSession(exchange: Exchange, sessions: PageSessions): Promise<void> {
  const { own } = readCookies(exchange)
  const session = own === undefined ? undefined : openSession(own, sessions)
  if (session === undefined) return
  const { id, endsAt } = session
  sessions.ended.add({ id, endsAt })
  await sessions.spread({ id, endsAt })
}

function openSession(sealed: string, { seal, ended }: PageSessions): OpenedSession | undefined {
  const session = seal.open(sealed)
  return session === undefined || ended.has(session) ? undefined : session
}

/** The value of the page's cookie, and all other cookies. */
function readCookies(exchange: Pick<Exchange, 'headers'>) {
  const prefix = `${cookieName(exchange)}=`
  const pairs = (exchange.headers['cookie'] ?? '').split(';').map((pair) => pair.trim())
  const own = pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length)
  return { own, others: pairs.filter((pair) => !pair.startsWith(prefix)).join('; ') }
}

/** Replaces all `Cookie` headers by one with the other cookies. */
function withoutCookie(rawHeaders: readonly string[], others: string): string[] {
  const kept: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2)
    if (name.toLowerCase() !== 'cookie') kept.push(name, value)
  }
  return others === '' ? kept : [...kept, 'Cookie', others]
}
