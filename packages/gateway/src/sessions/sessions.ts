import { hash, randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type AuditEvent, headerKeys } from '@agentic-rest/profile'
import type { Exchange, Identity } from '../exchange.ts'
import { isReachedByHttps, isSameOrigin } from '../listen/same-origin.ts'
import type { Provider } from './provider.ts'
import type { Seal } from './seal.ts'
import type { Ended, Grant, Session, SessionListener, SessionStore } from './session-store.ts'

/** How long a session lasts without another setting. Its token is judged with every request. */
export const SESSION_SECONDS = 8 * 60 * 60

/** What the sessions of one listener are made with. */
export interface SessionOptions {
  readonly listener: SessionListener
  readonly seal: Seal
  readonly store: SessionStore
  readonly seconds?: number | undefined
  /** The origin that browsers use, where it is known. */
  readonly publicUrl?: string | undefined
  /** Gives new tokens to sessions of people who signed in there. */
  readonly provider?: Pick<Provider, 'refresh'> | undefined
  /** Writes an audit record. */
  readonly audit?: ((event: AuditEvent, exchange: Exchange) => void) | undefined
}

/** What happened to a session. */
export interface SessionEvent extends Omit<Ended, 'issuer'> {
  readonly issuer?: string | undefined
  readonly type: 'opened' | 'refused' | 'ended'
  readonly reason?: string
  /** The number of ended sessions, where it may be more than one. */
  readonly count?: number
}

type Later<Value> = Value | Promise<Value>

/**
 * Only a script of the page's own origin can send it: for another origin a browser asks first (CORS), and the gateway
 * never allows this header.
 */
const PAGE_HEADER = 'x-agentic-page'

/** Whether the script of a page of the gateway sent a request. Forms, pictures, links and pages of other origins did not. */
export function isFromPage({ headers }: Pick<Exchange, 'headers'>): boolean {
  return headers[PAGE_HEADER] !== undefined && isSameOrigin(headers)
}

/** Signs browsers in and out on one listener. The tokens stay in the store; a cookie has a sealed random id. */
export class Sessions {
  readonly #options: SessionOptions
  readonly #publicUrl: URL | undefined

  constructor(options: SessionOptions) {
    this.#options = options
    this.#publicUrl = options.publicUrl === undefined ? undefined : new URL(options.publicUrl)
  }

  /** Keeps a session under a new id in place of the one before, and returns the `Set-Cookie` header. Rejects while the store is out of reach. */
  async open(exchange: Exchange, { token, grant, identity }: OpenedSession): Promise<string> {
    const { listener, store, seal, seconds = SESSION_SECONDS } = this.#options
    // A browser has one session: a copy of the cookie before must not live on.
    await this.end(exchange, 'replaced')
    const id = randomBytes(24).toString('base64url')
    await store.add(id, { token, grant, listener, endsAt: Date.now() + seconds * 1000 })
    this.record(exchange, { type: 'opened', issuer: identity?.issuer, subject: identity?.subject })
    return this.#cookie(exchange, { value: seal.seal(id, this.#purpose(exchange)), seconds })
  }

  /** The session of a request, with a token for at least a minute where the provider gives one. Nobody is signed in while the store is out of reach. */
  find(exchange: Exchange): Later<Session | undefined> {
    const id = this.#idOf(exchange)
    if (id === undefined) return undefined
    const found = this.#options.store.find(id)
    if (!(found instanceof Promise) && !isEnding(found)) return found
    return this.#current(exchange, id, found).catch(() => undefined)
  }

  /** Ends the session of a request for good, everywhere; resolves with it and the `Set-Cookie` header. */
  async end(
    exchange: Exchange,
    reason: string,
  ): Promise<{ readonly session: Session | undefined; readonly cookie: string }> {
    const id = this.#idOf(exchange)
    const session = id === undefined ? undefined : await this.#options.store.end(id)
    if (session !== undefined) this.record(exchange, { type: 'ended', reason, ...session.grant })
    return { session, cookie: this.#cookie(exchange, { value: '', seconds: 0 }) }
  }

  /** The `Set-Cookie` header of a sign-in that has begun. */
  sealBegun(exchange: Exchange, text: string, seconds: number): string {
    const value = this.#options.seal.seal(text, `begun ${this.#purpose(exchange)}`)
    return this.#cookie(exchange, { value, seconds, suffix: BEGUN })
  }

  /** The sign-in that the browser of a request has begun. */
  openBegun(exchange: Exchange): string | undefined {
    const sealed = this.#cookieOf(exchange, BEGUN)
    return sealed && this.#options.seal.open(sealed, `begun ${this.#purpose(exchange)}`)
  }

  /** Writes an audit record. It never fails a request. */
  record(exchange: Exchange, { type, reason, issuer = '', subject = '', sid, count }: SessionEvent): void {
    const { listener, audit } = this.#options
    const { requestId, correlationId } = exchange.trace
    const details = { issuer, token_sub: subject, listener, reason, sid, sessions: count?.toString() }
    const given = Object.entries(details).filter((entry): entry is [string, string] => Boolean(entry[1]))
    const event: AuditEvent = {
      event_type: `agentic.session.${type}`,
      tenant_id: '',
      actor_id: subject,
      request_id: requestId,
      correlation_id: correlationId,
      operation: 'session',
      resource_id: '',
      outcome: type === 'refused' ? 'error' : 'success',
      timestamp: new Date().toISOString(),
      attributes: Object.fromEntries(given),
    }
    audit?.(event, exchange)
  }

  async #current(exchange: Exchange, id: string, found: Later<Session | undefined>) {
    const session = await found
    const { grant } = session ?? {}
    if (session === undefined || grant?.refreshToken === undefined || !isEnding(session)) return session
    return await this.#refresh(exchange, { id, session, grant, refreshToken: grant.refreshToken })
  }

  /** One process asks for new tokens: a provider that rotates refresh tokens takes the second use for a theft. */
  async #refresh(exchange: Exchange, { id, session, grant, refreshToken }: Refreshed) {
    const { store, provider } = this.#options
    const name = `refresh ${hash('sha256', refreshToken, 'base64url')}`
    if (!(await store.claim(name, REFRESH_MS))) return await this.#awaitOther(id, session)
    const next = await provider?.refresh(grant, refreshToken).catch(() => session)
    if (next === undefined) {
      await store.end(id)
      this.record(exchange, { type: 'ended', reason: 'refresh refused', ...grant })
      return undefined
    }
    const renewed = { ...session, ...next }
    if (next !== session) await store.replace(id, renewed)
    return renewed
  }

  /** The token is still good, or somebody else gets a new one at the moment. */
  async #awaitOther(id: string, session: Session): Promise<Session | undefined> {
    const until = performance.now() + REFRESH_MS
    let now: Session | undefined = session
    while (now?.token === session.token && Number(session.grant?.tokenEndsAt) <= Date.now()) {
      if (performance.now() > until) return now
      await pause(LOOK_MS)
      now = await this.#options.store.find(id)
    }
    return now
  }

  #idOf(exchange: Exchange): string | undefined {
    const sealed = this.#cookieOf(exchange)
    return sealed === undefined ? undefined : this.#options.seal.open(sealed, this.#purpose(exchange))
  }

  /** A cookie of another listener or another name of the host opens nothing. */
  #purpose({ headers }: Exchange): string {
    return `session ${this.#options.listener} ${(headers['host'] ?? '').toLowerCase()}`
  }

  /** The scheme that the browser uses; undefined where only the browser or a proxy can tell. */
  #schemeOf({ headers, protocol }: Exchange): string | undefined {
    if (this.#publicUrl !== undefined && headers['host']?.toLowerCase() === this.#publicUrl.host)
      return this.#publicUrl.protocol
    return protocol === 'https' ? 'https:' : undefined
  }

  /** `Lax`, because the way back from a provider is a link of another site. Every change needs the header of the page. */
  #cookie(exchange: Exchange, { value, seconds, suffix = '' }: CookieParts): string {
    const { https, http } = cookieNames(exchange)
    const attributes = `HttpOnly; SameSite=Lax; Path=/; Max-Age=${seconds}`
    const scheme = this.#schemeOf(exchange)
    const isHttps = scheme === undefined ? isReachedByHttps(exchange) : scheme === 'https:'
    return isHttps
      ? `${https}${suffix}=${value}; ${attributes}; Secure`
      : `${http}${suffix}=${value}; ${attributes}`
  }

  /**
   * At an https origin only the name with `__Host-` counts: a sibling site can plant the other one. Without a known scheme a
   * proxy may name it in some requests only, so both count.
   */
  #cookieOf(exchange: Exchange, suffix = ''): string | undefined {
    const { https, http } = cookieNames(exchange)
    const pairs = pairsOf(exchange.headers['cookie'] ?? '')
    const find = (name: string) => pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
    const secure = find(https + suffix)
    return secure ?? (this.#schemeOf(exchange) === 'https:' ? undefined : find(http + suffix))
  }
}

/** A token that is to be kept, and whom it names. */
export interface OpenedSession extends Pick<Session, 'token' | 'grant'> {
  readonly identity?: Identity | undefined
}

interface Refreshed {
  readonly id: string
  readonly session: Session
  readonly grant: Grant
  readonly refreshToken: string
}

/** How long before its end an access token is replaced. */
const ENDING_MS = 60_000
const REFRESH_MS = 10_000
const LOOK_MS = 50

function isEnding(session: Session | undefined): boolean {
  const { refreshToken, tokenEndsAt = Number.POSITIVE_INFINITY } = session?.grant ?? {}
  return refreshToken !== undefined && tokenEndsAt - Date.now() < ENDING_MS
}

/** The end of the name of the cookie that a begun sign-in has. */
const BEGUN = '-sign-in'

/** Contains the port that the browser uses: all ports of a host share their cookies. */
function cookieNames({ headers }: Pick<Exchange, 'headers'>): {
  readonly https: string
  readonly http: string
} {
  const [, port] = /:(\d+)$/.exec(headers['host'] ?? '') ?? []
  return { https: `__Host-agentic${port === undefined ? '' : `-${port}`}`, http: `agentic-${port ?? '80'}` }
}

interface CookieParts {
  readonly value: string
  readonly seconds: number
  readonly suffix?: string
}

function pairsOf(cookies: string): string[] {
  return cookies.split(';').map((pair) => pair.trim())
}

const OWN_COOKIE = /^(?:__Host-)?agentic(?:-\d+)?(?:-sign-in)?=/

/**
 * Takes the cookies of the gateway out of a request, so that no service sees them. A request of a page below approvals
 * gets the token of its session instead, and passes the gateway like any request with a token.
 */
export function useSession(exchange: Exchange, sessions: Sessions): Later<void> {
  const { cookie: cookies = '', [headerKeys.authorization]: sent } = exchange.headers
  const others = pairsOf(cookies).filter((pair) => !OWN_COOKIE.test(pair))
  if (others.length === pairsOf(cookies).length) return undefined
  const isUsed = sent === undefined && isForApprovals(exchange) && isFromPage(exchange)
  const found = isUsed ? sessions.find(exchange) : undefined
  const use = (session: Session | undefined) =>
    replaceHeaders(exchange, others, session && `Bearer ${session.token}`)
  return found instanceof Promise ? found.then(use) : use(found)
}

const APPROVALS = /(?:^|\/)approvals(?:\/|$)/

/** Whether a request may use the session of the main listener: approvals of any service. */
export function isForApprovals({ path }: Pick<Exchange, 'path'>): boolean {
  return APPROVALS.test(path)
}

/** Takes all cookies out of a request and gives it a token: cookies of the console's origin are not for services. */
export function lendToken(exchange: Exchange, authorization: string): void {
  replaceHeaders(exchange, [], authorization)
}

function replaceHeaders(exchange: Exchange, others: readonly string[], authorization?: string): void {
  const { headers, rawHeaders } = exchange
  const cookies = others.join('; ')
  exchange.headers = Object.assign(Object.create(null), headers, {
    cookie: cookies === '' ? undefined : cookies,
    ...(authorization !== undefined && { [headerKeys.authorization]: authorization }),
  })
  const kept: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2)
    if (name.toLowerCase() !== 'cookie') kept.push(name, value)
  }
  exchange.rawHeaders = cookies === '' ? kept : [...kept, 'Cookie', cookies]
}
