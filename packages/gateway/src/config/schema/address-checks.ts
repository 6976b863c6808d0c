import type { Check } from './field-kinds.ts'

// The WHATWG parser trims blanks, drops tabs and turns backslashes into slashes; an address that needs it is a typing mistake.
const ABSOLUTE_HTTP = /^https?:\/\/[^\s\\/?#]+[^\s\\]*$/i

const authorityOf = (address: string): string => address.replace(/^[^/]*\/\//, '').replace(/[/?#].*$/s, '')

/** An absolute http or https URL without credentials and without a fragment. */
export const checkHttpUrl: Check = (address) => {
  if (!ABSOLUTE_HTTP.test(address)) return 'must be an absolute http or https URL'
  if (authorityOf(address).includes('@')) return 'must not carry credentials'
  if (address.includes('#')) return 'must not have a fragment'
  return URL.canParse(address) ? undefined : 'must be an absolute http or https URL'
}

/** The base URL of an upstream, without a query: the request's own query is appended. */
export const checkTarget: Check = (address) => {
  if (ABSOLUTE_HTTP.test(address) && address.includes('?')) return 'must not have a query'
  return checkHttpUrl(address)
}

/** The collector's address; empty means no collector. */
export const checkOtlpEndpoint: Check = (address) => {
  if (address === '') return undefined
  // A URL drops its scheme's default port and gRPC then takes 443: better no start than the wrong receiver.
  if (/^http:/i.test(address) && /:0*80$/.test(authorityOf(address)))
    return 'must not be port 80 of http, which gRPC cannot be told; use another port'
  return checkHttpUrl(address)
}

/** An origin exactly as a browser sends it in `Origin` (RFC 6454 6.2), since it is compared byte for byte. */
export const checkOrigin: Check = (origin) => {
  if (origin === '*') return 'must be an exact origin, "*" is not supported'
  if (!ABSOLUTE_HTTP.test(origin) || !URL.canParse(origin)) {
    return 'must be an exact origin such as https://app.example.com'
  }
  if (new URL(origin).origin === origin) return undefined
  return 'must be an exact origin: lower case, no path, no trailing slash, no default port'
}

/** Makes the check of a webhook URL: all required placeholders, no unknown one, none in the host. */
export const checkWebhookUrl =
  (required: readonly string[], optional: readonly string[] = []): Check =>
  (template) => {
    const missing = required.find((name) => !template.includes(`{${name}}`))
    if (missing !== undefined) return `must contain {${missing}}`
    const known = [...required, ...optional].map((name) => `{${name}}`)
    const filled = known.reduce((address, placeholder) => address.replaceAll(placeholder, 'x'), template)
    if (/[{}]/.test(filled)) return `must have no other placeholder than ${known.join(' and ')}`
    // A caller's name in the host would let the caller choose the server that the gateway calls.
    if (/[{}]/.test(authorityOf(template)))
      return 'must have its placeholders in the path or query, not in the host'
    return hasDotSegment(filled) ? 'must not have a dot segment' : checkHttpUrl(filled)
  }

const REDIS = /^rediss?:\/\/[^\s\\/?#]+(?:\/(?:\d{1,5})?)?$/i

/** The address of Redis; the only one with credentials, because Redis clients take them from there. */
export const checkRedisUrl: Check = (address) => {
  const isUrl = REDIS.test(address) && URL.canParse(address) && new URL(address).hostname !== ''
  if (!isUrl) return 'must be an address such as redis://user:password@host:6379/0, with rediss for TLS'
  const { username, password } = new URL(address)
  return isDecodable(username + password) ? undefined : 'must have its user and password percent-encoded'
}

const isDecodable = (text: string): boolean => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** Whether a path segment is `.` or `..`; the URL standard resolves the encoded forms too. */
export const isDotSegment = (segment: string): boolean => /^(?:\.|%2e){1,2}$/i.test(segment)

/** Whether the path of a URL has a dot segment: the request would ask for another path than the URL says. */
export const hasDotSegment = (url: string): boolean => {
  const [path = ''] = url.split('?', 1)
  return path.split('/').some(isDotSegment)
}

/** Whether only this machine can reach a host. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)

const ALL_INTERFACES = new Set(['0.0.0.0', '[::]', '[::ffff:0:0]'])

/** Whether a listener on this host is reached by every interface, however the host is written. */
export const isAllInterfaces = (host: string): boolean =>
  ALL_INTERFACES.has(new URL(`http://${host.includes(':') ? `[${host}]` : host}`).hostname)

/** Whether an address of http or redis leads to another machine without TLS. */
export const isPlainToAnotherHost = (address: string): boolean => {
  if (!URL.canParse(address)) return false
  const { protocol, hostname } = new URL(address)
  if (protocol !== 'http:' && protocol !== 'redis:') return false
  return !isLoopback(hostname.replace(/^\[|\]$/g, '').toLowerCase())
}

// The URL parser checks both families; it writes an IPv4 address in any other form anew.
const isAddress = (text: string): boolean =>
  text.includes(':')
    ? /^[0-9A-Fa-f:.]+$/.test(text) && URL.canParse(`http://[${text}]`)
    : /^[\d.]+$/.test(text) && URL.canParse(`http://${text}`) && new URL(`http://${text}`).hostname === text

/** An IP address, or a range of them in the notation of RFC 4632. */
export const checkAddressRange: Check = (range) => {
  const [address = '', bits, ...more] = range.split('/')
  const most = address.includes(':') ? 128 : 32
  const isRange = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most)
  if (!isAddress(address) || !isRange || more.length > 0)
    return 'must be an IP address or a range such as 10.0.0.0/8'
  return bits !== undefined && Number(bits) === 0
    ? 'must be narrower: with all addresses trusted, any client could invent its own'
    : undefined
}

/** The address of a DNS server as resolvers take it: `IP`, `IPv4:port` or `[IPv6]:port`. */
export const checkDnsServer: Check = (server) => {
  const [, bracketed, plain = '', port = '53'] =
    /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(server) ?? []
  const isServer = isAddress(bracketed ?? plain) && Number(port) >= 1 && Number(port) <= 65_535
  return isServer ? undefined : 'must be an IP address with an optional port, such as 127.0.0.1:5353'
}
