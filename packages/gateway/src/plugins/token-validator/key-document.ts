import { outcomes } from '@agentic-rest/profile'
import { checkHttpUrl } from '../../config/schema/address-checks.ts'
import type { HttpClient } from '../../upstream/http-client.ts'

/** Where an issuer's keys are: at a configured address, or where its discovery document says. */
export interface KeyLocation {
  readonly issuer: string
  readonly jwksUri: string | undefined
}

// One budget for the whole way: a request may be waiting for it.
const TIMEOUT_MS = 5_000
const MAX_BYTES = 65_536

/** Gets the JWK Set document of an issuer within five seconds; rejects when there is none. */
export async function fetchKeyDocument(http: HttpClient, location: KeyLocation): Promise<Buffer> {
  const deadline = performance.now() + TIMEOUT_MS
  const jwksUri = location.jwksUri ?? (await discoverJwksUri(http, location.issuer))
  return getDocument(http, jwksUri, Math.max(1, Math.ceil(deadline - performance.now())))
}

/** OpenID Connect Discovery 1.0, section 4. The document is read anew each time, since the address in it may change. */
async function discoverJwksUri(http: HttpClient, issuer: string): Promise<string> {
  const document = await getDocument(http, discoveryUrl(issuer), TIMEOUT_MS)
  return readJwksUri(document, issuer)
}

/** The address of the discovery document; a slash at the issuer's end is not doubled (section 4.1). */
export function discoveryUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
}

/** Reads the address of the keys from a discovery document; throws when the document is not this issuer's. */
export function readJwksUri(document: Buffer, issuer: string): string {
  const { issuer: named, jwks_uri: jwksUri } = parseDocument(document)
  // Section 4.3: anything but the very same name means that the keys are somebody else's.
  if (named !== issuer) throw new Error('the discovery document is of another issuer')
  if (typeof jwksUri !== 'string' || checkHttpUrl(jwksUri) !== undefined)
    throw new Error('the discovery document names no http or https address of keys')
  if (isSecure(issuer) && !isSecure(jwksUri))
    throw new Error('the discovery document of an https issuer names an http address of keys')
  return jwksUri
}

function isSecure(address: string): boolean {
  return new URL(address).protocol === 'https:'
}

function parseDocument(document: Buffer): { issuer?: unknown; jwks_uri?: unknown } {
  try {
    return Object(JSON.parse(document.toString('utf8')))
  } catch {
    throw new Error('the discovery document is not JSON')
  }
}

/** A redirect is a failure: it leads to an address that nobody configured. */
async function getDocument(http: HttpClient, url: string, timeoutMs: number): Promise<Buffer> {
  const { status, body } = await http.get(url, { timeoutMs, maxBytes: MAX_BYTES })
  if (status !== outcomes.success.status) throw new Error(`the answer has status ${status}`)
  return body
}
