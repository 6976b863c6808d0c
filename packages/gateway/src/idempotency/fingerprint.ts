import { createHash } from 'node:crypto'
import { byName, canonicalJson, isJsonType, mediaTypeEssence, parseJson } from '@agentic-rest/profile'

/** The parts of a request that make it the same as another one. */
export interface FingerprintedRequest {
  readonly method: string
  readonly path: string
  /** With its question mark, or empty. */
  readonly query: string
  readonly contentType: string | undefined
  /** The body as it is forwarded. */
  readonly body: Buffer
  readonly issuer: string
  readonly subject: string
}

/** The digest of caller and request. Members of JSON may come in any order; other bodies count by their bytes. */
export function fingerprint(request: FingerprintedRequest): string {
  const { method, path, query, contentType = '', body, issuer, subject } = request
  const pairs = query.slice(1).split('&').map(asPair).toSorted(byName)
  const head = JSON.stringify([issuer, subject, method, path, pairs, contentType])
  return digestOf(head, '\0', canonicalBody(contentType, body) ?? body)
}

/** Not decoded: bytes that are no UTF-8 would all be the same. */
function asPair(text: string): readonly [string, string] {
  const [name = ''] = text.split('=', 1)
  return [name, text]
}

/** The digest that a key is stored under. */
export function keyDigest(tenantId: string, routeId: string, key: string): string {
  return digestOf([tenantId, routeId, key].join('\0'))
}

function digestOf(...parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('base64url')
}

/** A larger body takes too long to sort. Clients send the same bytes again. */
const MAX_SORTED_BYTES = 262_144

/** The canonical text of a JSON body; `undefined` for other bodies. */
function canonicalBody(contentType: string, body: Buffer): string | undefined {
  if (!isJsonType(mediaTypeEssence(contentType)) || body.length > MAX_SORTED_BYTES) return undefined
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    // Services may take the first or the last of two members with one name: such a body counts by its bytes.
    const { value, fault } = parseJson(text, { leaf: exactly, uniqueNames: true })
    return fault ? undefined : canonicalJson(value)
  } catch {
    return undefined
  }
}

/** Numbers count as they are written: two large ones that JavaScript reads as equal are not the same request. */
function exactly(value: string | number, source: string): string {
  return typeof value === 'string' ? `s${value}` : `n${source}`
}
