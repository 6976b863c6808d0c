import { type HeaderSource, headerValue } from '@agentic-rest/profile'

/** The addresses that may use the endpoint from a browser. */
export interface OriginRules {
  readonly publicUrl: string
  /** Further values of `Origin`. */
  readonly origins: readonly string[]
}

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Whether `Origin` and `Host` of a request are allowed. A page of another site, also one whose name leads to this machine
 * (DNS rebinding), could otherwise use a gateway that only this machine can reach.
 */
export function isAllowedOrigin(source: HeaderSource, { publicUrl, origins }: OriginRules): boolean {
  const own = new URL(publicUrl)
  const host = headerValue(source, 'host')
  const hostUrl = host === undefined ? null : URL.parse(`http://${host}`)
  if (hostUrl === null) return false
  const isOwnHost = hostUrl.hostname === own.hostname || loopback.has(hostUrl.hostname)
  if (!isOwnHost) return false
  const origin = headerValue(source, 'origin')
  if (origin === undefined || origin === own.origin || origins.includes(origin)) return true
  const url = URL.parse(origin)
  return url !== null && loopback.has(url.hostname) && url.host === hostUrl.host
}
