import { headers, parseJson } from '@agentic-rest/profile'
import { decodeUtf8, readBytes } from '../http/read-body.ts'

/** The token of the caller whose request makes a call. */
export interface CallerToken {
  /** The `Authorization` header of the request; absent in the background, because jobs store no tokens. */
  readonly authorization: string | undefined
}

/** The identity of calls to other agents. */
export interface CallIdentity {
  /** Resolves with the `Authorization` header; throws if there is none. */
  authorization(caller: CallerToken): Promise<string>
  /** Called when the other side rejected this value. */
  refused?(value: string): void
}

/** Forwards the bearer token of the end user unchanged. Only for agents that may see it (Authentication, 4). */
export function passThrough(): CallIdentity {
  return {
    async authorization({ authorization }) {
      if (authorization === undefined) throw new Error('the request has no token to pass through')
      return authorization
    },
  }
}

/** A client account at an OAuth 2.0 authorization server. */
export interface ServiceAccountOptions {
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scope?: string
  readonly audience?: string
  readonly fetch?: typeof fetch
  /** The clock, in milliseconds. */
  readonly now?: () => number
}

interface Token {
  readonly value: string
  readonly usableUntil: number
}

const TIMEOUT_MS = 5_000
// The same limit as for webhooks of the gateway.
const MAX_RESPONSE_BYTES = 65_536
// Reserve for the network delay and the clock of the other side.
const MARGIN_MS = 30_000
const DEFAULT_LIFETIME_SECONDS = 60

/** The account of the agent itself (RFC 6749, section 4.4). One token serves all callers until shortly before it expires. */
export function serviceAccount(options: ServiceAccountOptions): CallIdentity {
  const { now = Date.now } = options
  let token: Token | undefined
  let pending: Promise<Token> | undefined
  const refresh = async () => {
    try {
      token = await fetchToken(options, now)
      return token
    } finally {
      pending = undefined
    }
  }
  return {
    async authorization() {
      if (token !== undefined && now() < token.usableUntil) return token.value
      pending ??= refresh()
      return (await pending).value
    },
    refused(value) {
      if (token?.value === value) token = undefined
    },
  }
}

async function fetchToken(options: ServiceAccountOptions, now: () => number): Promise<Token> {
  const { tokenUrl, fetch: send = fetch } = options
  const response = await send(tokenUrl, {
    method: 'POST',
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: {
      [headers.authorization]: basicCredentials(options),
      [headers.contentType]: 'application/x-www-form-urlencoded',
      Accept: 'application/json',
    },
    body: grant(options).toString(),
  })
  const bytes = await readBytes(response.body, MAX_RESPONSE_BYTES)
  if (bytes === undefined) response.body?.cancel().catch(() => undefined)
  if (!response.ok) throw new Error(`the token server answered with status ${response.status}`)
  return readToken(bytes && decodeUtf8(bytes), now())
}

function grant({ scope, audience }: ServiceAccountOptions): URLSearchParams {
  return new URLSearchParams({
    grant_type: 'client_credentials',
    ...(scope !== undefined && { scope }),
    ...(audience !== undefined && { audience }),
  })
}

/** RFC 6749, section 2.3.1: both parts are form-encoded, so that a colon in the id is not a separator. */
function basicCredentials({ clientId, clientSecret }: ServiceAccountOptions): string {
  const encode = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)
  return `Basic ${btoa(`${encode(clientId)}:${encode(clientSecret)}`)}`
}

function readToken(text: string | undefined, fetchedAt: number): Token {
  const { value: body } = parseJson(text ?? '')
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  const { access_token: token, token_type: type, expires_in: seconds } = fields
  if (typeof token !== 'string' || token === '' || String(type).toLowerCase() !== 'bearer') {
    throw new Error('the token server did not answer with a bearer token')
  }
  const lifetimeMs = (typeof seconds === 'number' ? seconds : DEFAULT_LIFETIME_SECONDS) * 1000
  // A token with a shorter life than the margin is used for half of its life.
  return {
    value: `Bearer ${token}`,
    usableUntil: fetchedAt + Math.max(lifetimeMs - MARGIN_MS, lifetimeMs / 2),
  }
}
