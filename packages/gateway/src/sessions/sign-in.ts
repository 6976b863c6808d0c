import { randomUUID } from 'node:crypto'
import {
  conditions,
  headers as headerNames,
  malformedStatuses,
  outcomes,
  parseOwnJson,
} from '@agentic-rest/profile'
import { isPlainToAnotherHost } from '../config/schema/address-checks.ts'
import type { SIGN_IN_PATHS } from '../config/schema/path-template.ts'
import type { Exchange } from '../exchange.ts'
import { rateOf } from '../limits/policies/gcra.ts'
import type { LimitStore } from '../limits/policies/limit-store.ts'
import type { ClientAddress } from '../listen/client-address.ts'
import type { Log } from '../log.ts'
import type { PipelinePlugin } from '../plugin.ts'
import { judgeToken } from './judge-token.ts'
import { type BegunChecks, type Provider, ProviderAwayError, reasonOf } from './provider.ts'
import { returnPath } from './return-path.ts'
import type { SessionListener, SessionStore } from './session-store.ts'
import { isFromPage, type Sessions } from './sessions.ts'
import { type PageAnswer, sentencePage } from './sign-in-page.ts'

/** What signing in on one listener needs. */
export interface SignInOptions {
  readonly listener: SessionListener
  readonly provider: Provider
  readonly sessions: Sessions
  readonly store: SessionStore
  readonly limits: Pick<LimitStore, 'decide'>
  readonly validator: PipelinePlugin
  readonly clientAddress: ClientAddress
  /** The origin that browsers use; absent on loopback, where the request names it. */
  readonly publicUrl: string | undefined
  readonly log: Log
}

/** A sign-in that has begun, in the cookie of its browser. */
interface Begun extends BegunChecks {
  readonly id: string
  readonly returnTo: string
  readonly endsAt: number
}

const SEE_OTHER = 303
const REFUSED = malformedStatuses.badRequest
const BEGUN_SECONDS = 600
const MAX_FORM_BYTES = 65_536
/** Longer than a logout token is accepted. */
const LOGOUT_MS = 600_000
const CHANGED_HOST = 'Host is not that of public_url: the proxy in front must pass Host on'
const NOT_HERE = 'This address cannot be used to sign in. The log of the gateway has the reason.'
const perMinute = rateOf(20, 60, 20)

/** Where a browser is sent after it signed in without a path of its own. */
const homes: Readonly<Record<SessionListener, string>> = { main: '/approvals', admin: '/' }

type Handler = (exchange: Exchange) => Promise<PageAnswer>

/** Signs people in at an identity provider, and out: the same paths on both listeners. */
export class SignIn {
  readonly #options: SignInOptions
  readonly #handlers: ReadonlyMap<string, Readonly<Record<string, Handler>>>

  constructor(options: SignInOptions) {
    this.#options = options
    const handlers: Readonly<Record<(typeof SIGN_IN_PATHS)[number], Readonly<Record<string, Handler>>>> = {
      '/sign-in': { GET: (exchange) => this.#begin(exchange) },
      '/sign-in/callback': { GET: (exchange) => this.#complete(exchange) },
      '/sign-out': { POST: (exchange) => this.#signOut(exchange) },
      '/backchannel-logout': { POST: (exchange) => this.#logout(exchange) },
    }
    this.#handlers = new Map(Object.entries(handlers))
  }

  /** Answers a request for one of its paths; undefined for all others. */
  answer(exchange: Exchange): Promise<PageAnswer> | undefined {
    const methods = this.#handlers.get(exchange.path)
    if (methods === undefined) return undefined
    const handler = Object.hasOwn(methods, exchange.method) ? methods[exchange.method] : undefined
    if (handler !== undefined) return handler(exchange)
    const Allow = Object.keys(methods).join(', ')
    return Promise.resolve(
      sentencePage(conditions.method_not_allowed, 'This address takes no such request.', { Allow }),
    )
  }

  async #begin(exchange: Exchange): Promise<PageAnswer> {
    const { sessions, listener, provider } = this.#options
    const origin = this.#originOf(exchange)
    if (!URL.canParse(origin) || isPlainToAnotherHost(origin))
      return this.#refuse(exchange, new Error('Host is not a loopback name: public_url is needed'), NOT_HERE)
    const asked = new URLSearchParams(exchange.query)
    const wish = asked.get('return')
    if (new URL(origin).host !== exchange.headers['host']?.toLowerCase()) {
      // It comes from there already: another redirect would not be the last one.
      if (asked.has('moved')) return this.#refuse(exchange, new Error(CHANGED_HOST), NOT_HERE)
      // The cookie of the sign-in belongs to the origin that the browser comes back to.
      const query = new URLSearchParams({ return: wish ?? homes[listener], moved: '1' })
      return { status: SEE_OTHER, headers: { Location: `${origin}/sign-in?${query}` } }
    }
    if (!(await this.#mayBegin(exchange)))
      return sentencePage(
        conditions.limit_exceeded,
        'There were too many sign-ins from your address. Try again in a minute.',
        {
          [headerNames.retryAfter]: '60',
        },
      )
    try {
      const { url, checks } = await provider.begin(`${origin}/sign-in/callback`)
      const begun: Begun = {
        ...checks,
        id: randomUUID(),
        returnTo: returnPath(wish, origin) ?? homes[listener],
        endsAt: Date.now() + BEGUN_SECONDS * 1000,
      }
      const cookie = sessions.sealBegun(exchange, JSON.stringify(begun), BEGUN_SECONDS)
      return {
        status: SEE_OTHER,
        headers: { Location: url.href, 'Set-Cookie': cookie, 'Referrer-Policy': 'no-referrer' },
      }
    } catch (error) {
      return this.#refuse(exchange, error)
    }
  }

  async #complete(exchange: Exchange): Promise<PageAnswer> {
    const { provider, sessions, store, validator } = this.#options
    const begun = this.#begunOf(exchange)
    try {
      if (begun === undefined) throw new Error('this browser has begun no sign-in')
      const current = new URL(`${this.#originOf(exchange)}/sign-in/callback${exchange.query}`)
      // Before the claim: another site can send a browser here, and must not end a sign-in that has begun.
      if (current.searchParams.get('state') !== begun.state)
        throw new Error('the state is of another sign-in')
      if (!(await store.claim(`sign-in ${begun.id}`, BEGUN_SECONDS * 1000)))
        throw new Error('the sign-in was completed before')
      const signedIn = await provider.complete(current, begun)
      const { refused, identity } = await judgeToken(exchange, `Bearer ${signedIn.token}`, validator)
      if (refused !== undefined)
        throw new Error(
          `token-validator refuses the access token: ${'code' in refused ? refused.code : refused.type}`,
        )
      const cookie = await sessions.open(exchange, { ...signedIn, identity })
      return { status: SEE_OTHER, headers: { Location: begun.returnTo, 'Set-Cookie': cookie } }
    } catch (error) {
      return this.#refuse(exchange, error)
    }
  }

  /** Ends the session here, and names the address where the browser ends it at the provider too. */
  async #signOut(exchange: Exchange): Promise<PageAnswer> {
    if (!isFromPage(exchange))
      return sentencePage(outcomes.forbidden.status, 'Only the page itself can sign you out.')
    return await this.signOut(exchange)
  }

  /** The answer to a sign-out of the page. */
  async signOut(exchange: Exchange): Promise<PageAnswer> {
    const { sessions, provider, listener } = this.#options
    const { session, cookie } = await sessions.end(exchange, 'sign-out')
    const home = `${this.#originOf(exchange)}${homes[listener]}`
    const next = session?.grant && provider.endSessionUrl(session.grant.idToken, home)
    return {
      status: outcomes.success.status,
      headers: {
        'Set-Cookie': cookie,
        [headerNames.contentType]: outcomes.success.mediaType,
        'Cache-Control': 'no-store',
      },
      body: Buffer.from(JSON.stringify({ next: next ?? null })),
    }
  }

  async #logout(exchange: Exchange): Promise<PageAnswer> {
    const { provider, store, sessions } = this.#options
    const form = new URLSearchParams((await exchange.body.read(MAX_FORM_BYTES))?.toString())
    const read = await provider
      .readLogout(form.get('logout_token') ?? '')
      .catch((error: unknown) => ({ error }))
    if ('error' in read) return this.#refuseLogout(read.error)
    const { jti, ended } = read
    // A copy of the token must not end later sessions of the person.
    if (!(await store.claim(`logout ${jti}`, LOGOUT_MS)))
      return this.#refuseLogout(new Error('the logout token was used before'))
    const count = await store.endAll(ended)
    sessions.record(exchange, { type: 'ended', reason: 'back-channel', ...ended, count })
    const headers = { 'Cache-Control': 'no-store' }
    return { status: outcomes.success.status, headers, body: Buffer.alloc(0) }
  }

  #refuseLogout(error: unknown): PageAnswer {
    this.#options.log.warn('a back-channel logout was refused', { reason: reasonOf(error) })
    const status = error instanceof ProviderAwayError ? outcomes.failed_dependency.status : REFUSED
    return sentencePage(status, 'The logout token was not accepted.')
  }

  /** The browser sees one sentence; the reason is for log and record. */
  #refuse(exchange: Exchange, error: unknown, sentence = 'You were not signed in. Begin again.'): PageAnswer {
    const reason = error instanceof ProviderAwayError ? 'provider away' : reasonOf(error)
    this.#options.log.warn('a sign-in was refused', { reason, listener: this.#options.listener })
    this.#options.sessions.record(exchange, { type: 'refused', reason })
    return error instanceof ProviderAwayError
      ? sentencePage(
          outcomes.failed_dependency.status,
          'The identity provider does not answer. Try again later.',
        )
      : sentencePage(REFUSED, sentence)
  }

  #begunOf(exchange: Exchange): Begun | undefined {
    const text = this.#options.sessions.openBegun(exchange)
    const begun = text === undefined ? undefined : (parseOwnJson(text) as Begun)
    return begun !== undefined && begun.endsAt > Date.now() ? begun : undefined
  }

  #originOf({ headers, protocol }: Exchange): string {
    return this.#options.publicUrl ?? `${protocol}://${(headers['host'] ?? '').toLowerCase()}`
  }

  async #mayBegin(exchange: Exchange): Promise<boolean> {
    const { limits, clientAddress } = this.#options
    const key = `gateway.sign_in ${clientAddress(exchange)}`
    const { refused } = await limits.decide([{ type: 'rate', key, needsStore: false, ...perMinute }])
    return refused === -1
  }
}
