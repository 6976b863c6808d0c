/** The members of a JSON object that came from outside. */
export type JsonObject = Readonly<Record<string, unknown>>

/** The two readable parts of a token. Nothing about them is trusted yet. */
export interface DecodedToken {
  readonly header: JsonObject
  readonly claims: JsonObject
}

// Without padding and with zero in the unused last bits, so that one signature has one spelling (RFC 7515, section 2).
// jose itself would accept padding, blanks and any last bits.
const BASE64URL = /^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-][AQgw]|[A-Za-z0-9_-]{2}[AEIMQUYcgkosw048])?$/
// Sticky, so that it goes through a text once, from quote to quote.
const MEMBER_OR_TEXT = /[^"]*"[^"\\]*(?:\\.[^"\\]*)*"\s*(:?)/gy
// Hardening F14: whatever walks claims later must not overflow the stack.
const MAX_DEPTH = 64

// A byte order mark is not JSON (RFC 8259, section 8.1); it is kept so that the parser refuses it.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Takes a compact JWS apart, or returns `undefined` when it is none. An empty signature is left to the algorithm. */
export function decodeToken(token: string): DecodedToken | undefined {
  const [header = '', payload = '', signature, ...more] = token.split('.', 4)
  if (signature === undefined || more.length > 0 || !BASE64URL.test(signature)) return undefined
  const decodedHeader = decodeObject(header)
  if (decodedHeader === undefined) return undefined
  const claims = decodeObject(payload)
  return claims === undefined ? undefined : { header: decodedHeader, claims }
}

function decodeObject(part: string): JsonObject | undefined {
  if (!BASE64URL.test(part)) return undefined
  try {
    return parseObject(utf8.decode(Buffer.from(part, 'base64url')))
  } catch {
    return undefined
  }
}

function parseObject(text: string): JsonObject | undefined {
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  // RFC 7519, section 4: where a name is repeated, the upstream might read another value than the gateway did.
  return countMembers(value) === countMembersInText(text) ? (value as JsonObject) : undefined
}

/** In valid JSON a text followed by a colon is the name of a member. */
function countMembersInText(text: string): number {
  let members = 0
  for (const [, colon] of text.matchAll(MEMBER_OR_TEXT)) if (colon === ':') members += 1
  return members
}

/** How many members a value has at all depths; not a number when it is nested too deep. */
function countMembers(value: object): number {
  let members = 0
  const open: { value: object; depth: number }[] = [{ value, depth: 1 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: current, depth } = next
    if (depth > MAX_DEPTH) return Number.NaN
    if (!Array.isArray(current)) members += Object.keys(current).length
    for (const child of Object.values(current))
      if (typeof child === 'object' && child !== null) open.push({ value: child, depth: depth + 1 })
  }
  return members
}
