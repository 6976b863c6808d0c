import { headerKeys } from '@agentic-rest/profile'
import { alsoChecked, patterned } from './field-kinds.ts'

/** The form of a role. Roles travel in one header, joined by commas (decision 16), so a role has no comma. */
export const ROLE = /^[!-+\x2d-~](?:[ -+\x2d-~]{0,254}[!-+\x2d-~])?$/

/** A role in the file. */
export const role = () =>
  patterned('a role (1 to 256 printable ASCII characters without commas, no blank at either end)', ROLE)

/** A scope in the file (RFC 6749, section 3.3). */
export const scope = () =>
  patterned('a scope (1 to 256 printable ASCII characters without blanks, quotes and backslashes)', SCOPE)

/** The form of a scope. */
export const SCOPE = /^[!#-[\]-~]{1,256}$/

/** The form of a tenant id from any source (decision 18). As a path segment, `.` and `..` would name another folder. */
export const TENANT_ID = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/

/** A tenant id in the file. */
export const tenantId = () =>
  patterned('a tenant id (1 to 64 letters, digits, ".", "_" or "-", but not "." or "..")', TENANT_ID)

/** The name of an issuer. It travels in a header (decision 36). */
export const issuerName = () =>
  patterned(
    'the name of an issuer (1 to 256 printable ASCII characters, no blank at either end)',
    /^[!-~](?:[ -~]{0,254}[!-~])?$/,
  )

/** The shortest shared secret: a key as long as the hash, 256 bits (RFC 7518, section 3.2). */
export const SHORTEST_SECRET = 32

/** Returns the fault of a shared secret, if it has one. */
export const checkSharedSecret = (secret: string): string | undefined =>
  secret.length < SHORTEST_SECRET ? `must have at least ${SHORTEST_SECRET} characters` : undefined

/** The value of a header, without control characters. */
export const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** A feature's name in a licence or on a route. */
export const featureName = () =>
  patterned('a feature name (1 to 64 letters, digits, ".", "_", ":" or "-")', /^[A-Za-z0-9._:-]{1,64}$/)

/** A claim's name, or a dotted path to it such as `realm_access.roles`. */
export const claimPath = () =>
  patterned('a claim name or a dotted path of claim names', /^[^.\s]+(?:\.[^.\s]+)*$/)

const RFC_3339 =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** Returns the fault of an RFC 3339 timestamp, if it has one. */
export const checkTimestamp = (value: string): string | undefined => {
  const [, year, month, day] = RFC_3339.exec(value) ?? []
  if (year === undefined) return 'must be an RFC 3339 timestamp such as 2027-01-01T00:00:00Z'
  // Date turns the 30th of February into a day of March instead of refusing it.
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  return Number(day) > lastDay ? 'must be a day that exists' : undefined
}

/** A header name (RFC 9110 5.1). */
const headerName = () => patterned('a header name', /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/)

const SECRET_HEADERS: ReadonlySet<string> = new Set([
  headerKeys.authorization,
  headerKeys.approvalToken,
  'proxy-authorization',
  'cookie',
  'set-cookie',
])

/** A header for an audit record: no header with a credential (Events, Privacy). */
export const auditedHeaderName = () =>
  alsoChecked(headerName(), (name) =>
    SECRET_HEADERS.has(name.toLowerCase())
      ? 'carries a secret, which must not be in an audit record'
      : undefined,
  )

// The HTTP client refuses most of these, so every lookup would fail. The rest would address another server, or ask for
// an encoding that the lookup does not decode.
const CLIENT_HEADERS: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** A header that an operator may add to a webhook call. */
export const lookupHeaderName = () =>
  alsoChecked(headerName(), (name) =>
    CLIENT_HEADERS.has(name.toLowerCase())
      ? 'is decided by the gateway itself and cannot be set here'
      : undefined,
  )
