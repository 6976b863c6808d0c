import { parseJson } from '@agentic-rest/client'
import type { Person } from '@agentic-rest/gateway'
import { urlOf } from './parts.ts'
import { npmCommand, runningScript } from './typed-command.ts'

/** The person of a token. Tenant and roles default to those of the person of that name. */
export interface WantedToken {
  readonly portBase: number
  readonly sub: string
  readonly tenant?: string | undefined
  /** Comma-joined. */
  readonly roles?: string | undefined
}

/** A token could not be fetched; the message says why. */
export class TokenError extends Error {
  override readonly name = 'TokenError'
  /** Whether the request itself is invalid, so that a retry does not help. */
  readonly refused: boolean

  constructor(message: string, { refused = false, ...options }: ErrorOptions & { refused?: boolean } = {}) {
    super(message, options)
    this.refused = refused
  }
}

const TIMEOUT_MS = 5_000

/** A token and its expiry. */
interface DatedToken {
  readonly token: string
  readonly expiresAt: string
}

/** Gets a token from the identity provider of a running stack, with the development grant. */
export async function requestToken({ portBase, ...wish }: WantedToken): Promise<string> {
  return (await requestTokenAt(urlOf('identity', portBase), wish)).token
}

/** Gets a token with its expiry from the identity provider at an address. */
export async function requestTokenAt(url: string, wish: Omit<WantedToken, 'portBase'>): Promise<DatedToken> {
  const askedAt = Date.now()
  const response = await ask(`${url}/token`, formOf(wish))
  const body = Object(parseJson(await response.text().catch(() => '')).value) as {
    access_token?: unknown
    expires_in?: unknown
    error?: unknown
    error_description?: unknown
  }
  // RFC 6749 5.1: the lifetime is optional. Without it the token counts as expired.
  const seconds = typeof body.expires_in === 'number' ? body.expires_in : 0
  if (typeof body.access_token === 'string')
    return { token: body.access_token, expiresAt: new Date(askedAt + seconds * 1000).toISOString() }
  if (typeof body.error_description !== 'string') throw new TokenError(`${url} gives no tokens`)
  // RFC 6749 5.2: these codes mean an invalid request. Failures of the provider have other codes.
  throw new TokenError(body.error_description, { refused: /^invalid_/.test(String(body.error)) })
}

/** The first person of development of a running stack; undefined when its identity provider names none. */
export async function firstPerson(portBase: number): Promise<Person | undefined> {
  const [first] = await readPeople(urlOf('identity', portBase)).catch(() => [])
  return first
}

/** The people of an identity provider. */
export async function readPeople(url: string): Promise<readonly Person[]> {
  const response = await fetch(`${url}/people`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  const { value: people } = parseJson(await response.text())
  return Array.isArray(people) ? people : []
}

function formOf({ sub, tenant, roles }: Omit<WantedToken, 'portBase'>): URLSearchParams {
  return new URLSearchParams({
    grant_type: 'urn:agentic-rest:grant-type:development',
    client_id: 'development',
    sub,
    ...(tenant !== undefined && { tenant }),
    ...(roles !== undefined && { roles }),
  })
}

async function ask(url: string, body: URLSearchParams): Promise<Response> {
  try {
    return await fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(TIMEOUT_MS) })
  } catch (cause) {
    const script = runningScript(process.env)
    const option = script === undefined ? '--port-base' : npmCommand(script, '--port-base N')
    throw new TokenError(
      `no identity provider answers at ${new URL(url).origin}: start the stack, or name its port with ${option}`,
      { cause },
    )
  }
}
