import { createHash } from 'node:crypto'
import { mediaTypeEssence, parseJson } from '@agentic-rest/profile'

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
  return digestOf(head, '\0', canonicalJson(contentType, body) ?? body)
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

/** JSON with sorted members; `undefined` for other bodies. */
function canonicalJson(contentType: string, body: Buffer): string | undefined {
  const essence = mediaTypeEssence(contentType) ?? ''
  if (!isJson(essence) || body.length > MAX_SORTED_BYTES) return undefined
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    const { value: parsed, fault } = parseJson(text, { leaf: exactly })
    if (fault) return undefined
    let members = 0
    const canonical = JSON.stringify(parsed, (_name, value: unknown) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
      const entries = Object.entries(value).toSorted(byName)
      members += entries.length
      return Object.fromEntries(entries)
    })
    // Services may take the first or the last of two members with one name: such a body counts by its bytes.
    return members === countMembers(text) ? canonical : undefined
  } catch {
    return undefined
  }
}

const STRINGS = /"[^"\\]*(?:\\.[^"\\]*)*"/g

/** The members of all objects in valid JSON, repeated ones included: each has a colon outside of strings. */
function countMembers(text: string): number {
  return text.replace(STRINGS, '').split(':').length - 1
}

/** Whether a media type is one of JSON. */
export function isJson(essence: string): boolean {
  return essence === 'application/json' || essence.endsWith('+json')
}

/** Numbers count as they are written: two large ones that JavaScript reads as equal are not the same request. */
function exactly(value: string | number, source: string): string {
  return typeof value === 'string' ? `s${value}` : `n${source}`
}

/** Order by code units. Values of one name keep their order. */
function byName([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
