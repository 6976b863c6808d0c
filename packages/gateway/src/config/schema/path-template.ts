import { isDotSegment } from './address-checks.ts'
import type { Check } from './field-kinds.ts'

/** Paths that the gateway answers itself, before routing. */
export const RESERVED_PATHS: readonly string[] = [
  '/metrics',
  '/healthz',
  '/readyz',
  '/.well-known/agentic-jwks.json',
]

/** Paths that the gateway answers itself with `gateway.sign_in`, on both listeners. */
export const SIGN_IN_PATHS = ['/sign-in', '/sign-in/callback', '/sign-out', '/backchannel-logout'] as const

// Already in its loose form: most ids.
const PLAIN_SEGMENT = /^[a-z0-9._~-]*$/
const PARAMETER = /^\{([A-Za-z_][A-Za-z0-9_]*)\}$/
// RFC 3986 pchar without "*", which reads like a wildcard.
const LITERAL = /^(?:[A-Za-z0-9\-._~!$&'()+,;=:@]|%[0-9A-Fa-f]{2})+$/

/** The segments of a path template; one trailing slash does not count. */
export const pathSegments = (path: string): string[] => {
  const segments = path.split('/').slice(1)
  return segments.at(-1) === '' ? segments.slice(0, -1) : segments
}

/** The parameter's name when the segment is `{name}`, else undefined. */
export const parameterName = (segment: string): string | undefined => PARAMETER.exec(segment)?.[1]

/** Two templates with the same shape match the same requests: parameter names and a trailing slash do not matter. */
export const pathShape = (path: string): string =>
  // A parameter becomes the empty segment, which no literal can be.
  `/${pathSegments(path)
    .map((segment) => (segment.startsWith('{') ? '' : decodeLiteral(segment)))
    .join('/')}`

/** A segment as the least strict server reads it: decoded, without path parameters after a semicolon, in any case. */
export const looseSegment = (segment: string): string => {
  if (PLAIN_SEGMENT.test(segment)) return segment
  const [name = ''] = decodeLiteral(segment).split(';', 1)
  // Through both cases, which is full case folding.
  return name.toLowerCase().toUpperCase().toLowerCase()
}

/** Whether a path is that of the Messages API, whose streams report tokens and whose service refuses `stream_options`. */
export const isMessagesApi = (path: string): boolean => pathSegments(path).at(-1) === 'messages'

/** Returns the fault of a route's path template, if it has one. */
export const checkPathTemplate: Check = (path) =>
  checkForm(path) ?? checkSegments(pathSegments(path)) ?? checkReserved(path)

const checkForm: Check = (path) => {
  if (!path.startsWith('/')) return 'must start with "/"'
  if (path.includes('?')) return 'must not have a query'
  if (path.includes('#')) return 'must not have a fragment'
  if (path.includes('//')) return 'must not have an empty segment ("//")'
  if (path.includes('*')) return 'must not have a wildcard, use a {name} segment for each part'
  if (/%(?:2f|5c|00)/i.test(path) || path.includes('\\')) {
    return 'must not have an encoded slash, a backslash or an encoded NUL'
  }
  return undefined
}

const checkSegments = (segments: readonly string[]): string | undefined => {
  const names = segments.map(parameterName).filter((name) => name !== undefined)
  if (new Set(names).size < names.length) return 'must not use one parameter name twice'
  for (const segment of segments) {
    const message = checkSegment(segment)
    if (message !== undefined) return message
  }
  return undefined
}

const checkSegment: Check = (segment) => {
  if (PARAMETER.test(segment)) return undefined
  if (/[{}]/.test(segment)) {
    return 'must have each parameter as a whole segment {name}, the name made of letters, digits and "_"'
  }
  if (isDotSegment(segment)) return 'must not have a dot segment'
  if (!LITERAL.test(segment)) return 'must percent-encode blanks, "%" and characters outside ASCII'
  return isText(segment) ? undefined : 'must percent-encode UTF-8 without control characters'
}

// A request target with other bytes is refused before routing.
const isText = (segment: string): boolean => {
  try {
    return !/\p{Cc}/u.test(decodeURIComponent(segment))
  } catch {
    return false
  }
}

const checkReserved: Check = (path) =>
  RESERVED_PATHS.includes(pathShape(path)) ? 'is reserved: the gateway answers it itself' : undefined

const decodeLiteral = (segment: string): string => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
