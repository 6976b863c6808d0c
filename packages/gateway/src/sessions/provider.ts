import { conditions, outcomes } from '@agentic-rest/profile'
import type * as Jose from 'jose'
import type * as OpenId from 'openid-client'
import type { SignInSection } from '../config/config-schema.ts'
import type { Ended, Grant, Session } from './session-store.ts'

/** The secrets of one sign-in. They stay in the browser that began it, sealed. */
export interface BegunChecks {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** The tokens of a person who signed in. */
export type SignedIn = Required<Pick<Session, 'token'>> & { readonly grant: Grant }

/** The provider does not answer, or not as a provider. Every other error is a refusal. */
export class ProviderAwayError extends Error {
  override readonly name = 'ProviderAwayError'
}

/** What the provider of a configuration is made with. */
export interface ProviderOptions {
  readonly section: SignInSection
  readonly clientSecret: string | undefined
}

const ANSWER_SECONDS = 5
/** How far the clocks of provider and gateway may differ. */
const CLOCK_SECONDS = 60
const LONGEST_REASON = 160
const RETRY_MS = 2_000
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'

interface Found {
  readonly openId: typeof OpenId
  readonly config: OpenId.Configuration
  readonly jose: typeof Jose
  /** The keys that sign logout tokens. */
  readonly keys: ReturnType<typeof Jose.createRemoteJWKSet>
}

/** The identity provider where people sign in: OpenID Connect with code and PKCE, by `openid-client`. */
export class Provider {
  readonly #options: ProviderOptions
  #found: Found | undefined
  #finding: Promise<Found> | undefined
  #failedAt = Number.NEGATIVE_INFINITY
  /** The last call failed: the provider is asked again before somebody is sent there. */
  #isAway = false

  constructor(options: ProviderOptions) {
    this.#options = options
  }

  /** Reads the description of the provider; never rejects. */
  async warm(): Promise<void> {
    await this.#find().catch(() => undefined)
  }

  /** Why nobody can sign in, if nobody can. Looks again in the background. */
  degraded(): string | undefined {
    if (this.#found !== undefined && !this.#isAway) return undefined
    void this.warm()
    return 'sign-in: the identity provider does not answer, nobody can sign in'
  }

  /** The address where a person signs in, and the checks of the way back. */
  async begin(redirectUri: string): Promise<{ readonly url: URL; readonly checks: BegunChecks }> {
    const { openId, config } = await this.#find()
    const { scopes, audience, resource } = this.#options.section
    const checks = {
      state: openId.randomState(),
      nonce: openId.randomNonce(),
      verifier: openId.randomPKCECodeVerifier(),
    }
    const url = openId.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: scopes.join(' '),
      state: checks.state,
      ...(scopes.includes('openid') && { nonce: checks.nonce }),
      code_challenge: await openId.calculatePKCECodeChallenge(checks.verifier),
      code_challenge_method: 'S256',
      ...(audience !== undefined && { audience }),
      ...(resource !== undefined && { resource }),
    })
    return { url, checks }
  }

  /** Exchanges the code of the way back for tokens. Rejects with the reason of a refusal. */
  async complete(current: URL, { state, nonce, verifier }: BegunChecks): Promise<SignedIn> {
    const { openId, config } = await this.#find()
    const { scopes, resource } = this.#options.section
    const answer = await this.#asked(() =>
      openId.authorizationCodeGrant(
        config,
        current,
        {
          expectedState: state,
          pkceCodeVerifier: verifier,
          ...(scopes.includes('openid') && { expectedNonce: nonce }),
        },
        resource === undefined ? {} : { resource },
      ),
    )
    return this.#signedIn(answer, undefined)
  }

  /** New tokens; undefined when the provider refuses them. Rejects while it is away. */
  async refresh(grant: Grant, refreshToken: string): Promise<SignedIn | undefined> {
    const { openId, config } = await this.#find()
    const { resource } = this.#options.section
    try {
      const answer = await this.#asked(() =>
        openId.refreshTokenGrant(config, refreshToken, resource === undefined ? {} : { resource }),
      )
      return this.#signedIn(answer, grant)
    } catch (error) {
      if (error instanceof ProviderAwayError) throw error
      return undefined
    }
  }

  /** Where a browser ends its session at the provider; undefined where the provider has no such address. */
  endSessionUrl(idToken: string | undefined, returnTo: string): string | undefined {
    if (this.#found?.config.serverMetadata().end_session_endpoint === undefined) return undefined
    const { openId, config } = this.#found
    return openId.buildEndSessionUrl(config, {
      post_logout_redirect_uri: returnTo,
      ...(idToken !== undefined && { id_token_hint: idToken }),
    }).href
  }

  /** The sessions that a logout token ends (OpenID Connect Back-Channel Logout, 2.6). Rejects for a bad token. */
  async readLogout(token: string): Promise<{ readonly jti: string; readonly ended: Ended }> {
    const { jose, keys } = await this.#find()
    const { issuer, client_id } = this.#options.section
    const { payload } = await jose.jwtVerify(token, keys, {
      issuer,
      audience: client_id,
      clockTolerance: CLOCK_SECONDS,
      maxTokenAge: ANSWER_SECONDS * 60,
      requiredClaims: ['jti', 'events'],
    })
    const { sub: subject, sid, nonce, events, jti = '' } = payload
    const isLogout = Object.hasOwn(Object(events), LOGOUT_EVENT) && nonce === undefined
    if (!isLogout || (subject === undefined && typeof sid !== 'string')) throw new Error('no logout token')
    return { jti, ended: { issuer, subject, sid: typeof sid === 'string' ? sid : undefined } }
  }

  #signedIn(
    answer: OpenId.TokenEndpointResponse & OpenId.TokenEndpointResponseHelpers,
    before: Grant | undefined,
  ) {
    const claims: Jose.JWTPayload = answer.claims() ?? {}
    // OpenID Connect Core, section 12.2.
    if (before?.subject && claims.sub !== undefined && claims.sub !== before.subject)
      throw new Error('the refresh is of another person')
    const seconds = answer.expiresIn()
    const { sid } = claims
    return {
      token: answer.access_token,
      grant: {
        issuer: this.#options.section.issuer,
        subject: claims.sub ?? before?.subject ?? '',
        sid: typeof sid === 'string' ? sid : before?.sid,
        idToken: answer.id_token ?? before?.idToken,
        // A provider that rotates them sends a new one.
        refreshToken: answer.refresh_token ?? before?.refreshToken,
        tokenEndsAt: seconds === undefined ? undefined : Date.now() + seconds * 1000,
      },
    }
  }

  async #asked<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    try {
      return await ask()
    } catch (error) {
      if (!isAway(error)) throw error
      this.#isAway = true
      throw new ProviderAwayError('the provider does not answer', { cause: error })
    }
  }

  #find(): Promise<Found> {
    if (this.#found !== undefined && !this.#isAway) return Promise.resolve(this.#found)
    const isTooSoon = performance.now() - this.#failedAt < RETRY_MS
    if (isTooSoon && this.#finding === undefined)
      return Promise.reject(new ProviderAwayError('asked just now'))
    this.#finding ??= this.#discover().finally(() => {
      this.#finding = undefined
    })
    return this.#finding
  }

  async #discover(): Promise<Found> {
    const { section, clientSecret } = this.#options
    const { issuer, client_id } = section
    // Loaded here: a gateway without sign-in does not need them.
    const [openId, jose] = await Promise.all([import('openid-client'), import('jose')])
    try {
      const config = await openId.discovery(
        new URL(issuer),
        client_id,
        {
          [openId.clockTolerance]: CLOCK_SECONDS,
          ...(clientSecret !== undefined && { client_secret: clientSecret }),
        },
        clientSecret === undefined ? openId.None() : undefined,
        {
          timeout: ANSWER_SECONDS,
          execute: issuer.startsWith('http:') ? [openId.allowInsecureRequests] : [],
        },
      )
      const { jwks_uri = '' } = config.serverMetadata()
      const keys = jose.createRemoteJWKSet(new URL(jwks_uri), { timeoutDuration: ANSWER_SECONDS * 1000 })
      this.#isAway = false
      this.#found = { openId, jose, config, keys }
      return this.#found
    } catch (error) {
      this.#isAway = true
      this.#failedAt = performance.now()
      throw new ProviderAwayError('the provider does not answer', { cause: error })
    }
  }
}

/** Whether the provider failed, and not the request. */
function isAway(error: unknown): boolean {
  // What `fetch` throws without an answer.
  if (error instanceof TypeError) return true
  const { code, cause } = Object(error) as { readonly code?: unknown; readonly cause?: unknown }
  if (code === 'OAUTH_TIMEOUT' || code === 'OAUTH_ABORT') return true
  if (!(cause instanceof Response)) return false
  return cause.status >= outcomes.error.status || cause.status === conditions.limit_exceeded
}

/** One word or sentence for log and record: error codes and messages of the library, which have no token. */
export function reasonOf(error: unknown): string {
  const { error: refused, code, message, cause } = Object(error) as Readonly<Record<string, unknown>>
  if (typeof refused === 'string') return refused.slice(0, LONGEST_REASON)
  const inner = Object(cause) as { readonly code?: unknown; readonly message?: unknown }
  const words = [code ?? inner.code, inner instanceof Error ? inner.message : message]
  return (
    words
      .filter((word) => typeof word === 'string' && word !== '')
      .join(': ')
      .slice(0, LONGEST_REASON) || 'UNKNOWN'
  )
}
