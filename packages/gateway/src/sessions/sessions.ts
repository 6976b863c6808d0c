import { randomBytes } from 'node:crypto'
import { headerKeys } from '@agentic-rest/profile'
import type { Exchange } from '../exchange.ts'
import { isReachedByHttps, isSameOrigin } from '../listen/same-origin.ts'
import type { Seal } from './seal.ts'
import type { Session, SessionListener, SessionStore } from './session-store.ts'

/** How long a session lasts without another setting. Its token is judged with every request. */
export const SESSION_SECONDS = 8 * 60 * 60

/** What the sessions of one listener are made with. */
export interface SessionOptions {
  readonly listener: SessionListener
  readonly seal: Seal
  readonly store: SessionStore
  readonly seconds?: number | undefined
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

  constructor(options: SessionOptions) {
    this.#options = options
  }

  /** Keeps a session under a new id and returns the `Set-Cookie` header. Rejects while the store is out of reach. */
  async open(exchange: Exchange, opened: Pick<Session, 'token' | 'grant'>): Promise<string> {
    const { listener, store, seal, seconds = SESSION_SECONDS } = this.#options
    const id = randomBytes(24).toString('base64url')
    await store.add(id, { ...opened, listener, endsAt: Date.now() + seconds * 1000 })
    return cookie(exchange, { value: seal.seal(id, this.#purpose(exchange)), seconds })
  }

  /** The session of a request. Nobody is signed in while the store is out of reach. */
  find(exchange: Exchange): Later<Session | undefined> {
    const id = this.#idOf(exchange)
    const found = id === undefined ? undefined : this.#options.store.find(id)
    return found instanceof Promise ? found.catch(() => undefined) : found
  }

  /** Ends the session of a request for good, everywhere; resolves with it and the `Set-Cookie` header. */
  async end(exchange: Exchange): Promise<{ readonly session: Session | undefined; readonly cookie: string }> {
    const id = this.#idOf(exchange)
    const session = id === undefined ? undefined : await this.#options.store.end(id)
    return { session, cookie: cookie(exchange, { value: '', seconds: 0 }) }
  }

  #idOf(exchange: Exchange): string | undefined {
    const sealed = cookieOf(exchange, cookieNames(exchange))
    return sealed === undefined ? undefined : this.#options.seal.open(sealed, this.#purpose(exchange))
  }

  /** A cookie of another listener or another name of the host opens nothing. */
  #purpose({ headers }: Exchange): string {
    return `session ${this.#options.listener} ${(headers['host'] ?? '').toLowerCase()}`
  }
}

/** Contains the port that the browser uses: all ports of a host share their cookies. */
function cookieNames({ headers }: Pick<Exchange, 'headers'>): {
  readonly https: string
  readonly http: string
} {
  const [, port] = /:(\d+)$/.exec(headers['host'] ?? '') ?? []
  return { https: `__Host-agentic${port === undefined ? '' : `-${port}`}`, http: `agentic-${port ?? '80'}` }
}

/** `Lax`, because the way back from a provider is a link of another site. Every change needs the header of the page. */
function cookie(
  exchange: Exchange,
  { value, seconds }: { readonly value: string; readonly seconds: number },
): string {
  const { https, http } = cookieNames(exchange)
  const attributes = `HttpOnly; SameSite=Lax; Path=/; Max-Age=${seconds}`
  return isReachedByHttps(exchange)
    ? `${https}=${value}; ${attributes}; Secure`
    : `${http}=${value}; ${attributes}`
}

/** A proxy may not say whether a browser used https, and then only some requests do: both names count. */
function cookieOf(
  { headers }: Exchange,
  { https, http }: ReturnType<typeof cookieNames>,
): string | undefined {
  const pairs = pairsOf(headers['cookie'] ?? '')
  const find = (name: string) => pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
  return find(https) ?? find(http)
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
    replaceHeaders(exchange, { cookies: others.join('; '), token: session?.token })
  return found instanceof Promise ? found.then(use) : use(found)
}

const APPROVALS = /(?:^|\/)approvals(?:\/|$)/

/** Whether a request may use the session of the main listener: approvals of any service. */
export function isForApprovals({ path }: Pick<Exchange, 'path'>): boolean {
  return APPROVALS.test(path)
}

function replaceHeaders(
  exchange: Exchange,
  { cookies, token }: { readonly cookies: string; readonly token: string | undefined },
): void {
  const { headers, rawHeaders } = exchange
  exchange.headers = Object.assign(Object.create(null), headers, {
    cookie: cookies === '' ? undefined : cookies,
    ...(token !== undefined && { [headerKeys.authorization]: `Bearer ${token}` }),
  })
  const kept: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2)
    if (name.toLowerCase() !== 'cookie') kept.push(name, value)
  }
  exchange.rawHeaders = cookies === '' ? kept : [...kept, 'Cookie', cookies]
}
