import { byName, canonicalJson } from '@agentic-rest/profile'
import type { Match } from './http/router.ts'
import type { InputSource } from './input/collect-input.ts'
import type { Principal } from './runtime/principal.ts'

/** The parts of a request in its digest: everything except caller, time, ids and token. */
export interface DigestedRequest extends Pick<InputSource, 'query' | 'headers' | 'body'> {
  readonly match: Match
}

/** The digest of a request. Two requests have the same digest if and only if they ask for the same. */
export async function fingerprint({ match, query, headers, body }: DigestedRequest): Promise<string> {
  const { operation, path } = match
  const inHeaders = [...operation.fields.values()]
    .filter(({ location }) => location === 'header')
    .map(({ name }) => [name, headers.get(name)])
  const text = canonicalJson([operation.method, path, [...query].toSorted(byName), inHeaders, body])
  return digestOf(text)
}

/** The digest of a request on behalf of a person. It differs for each person. */
export function fingerprintFor({ subject, issuer }: Principal, digest: string): Promise<string> {
  // Without an issuer as in earlier versions, whose tokens are still in use.
  return digestOf(canonicalJson(issuer === undefined ? [digest, subject] : [digest, subject, issuer]))
}

async function digestOf(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
