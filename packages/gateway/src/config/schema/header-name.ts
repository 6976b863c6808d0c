import { headerKeys } from '@agentic-rest/profile'
import { alsoChecked, patterned } from './field-kinds.ts'

/** A header name (RFC 9110 5.1). */
const headerName = () => patterned('a header name', /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/)

const SECRET_HEADERS: ReadonlySet<string> = new Set([
  headerKeys.authorization,
  headerKeys.approvalToken,
  'proxy-authorization',
  'cookie',
  'set-cookie',
])

/** A header whose value may be written into an audit record: none that carries a credential (Events, Privacy). */
export const auditedHeaderName = () =>
  alsoChecked(headerName(), (name) =>
    SECRET_HEADERS.has(name.toLowerCase())
      ? 'carries a secret, which must not be in an audit record'
      : undefined,
  )

// The HTTP client refuses to send most of these, so that every look-up would fail; the others would address another
// server, or ask for an answer that nobody here decodes.
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

/** A header that an operator may add to a look-up. */
export const lookupHeaderName = () =>
  alsoChecked(headerName(), (name) =>
    CLIENT_HEADERS.has(name.toLowerCase())
      ? 'is decided by the gateway itself and cannot be set here'
      : undefined,
  )
