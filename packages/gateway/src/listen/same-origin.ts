import type { RequestHead } from '../exchange.ts'

/** Whether a request comes from a page of this origin, or from no browser at all: only browsers send these headers. */
export function isSameOrigin(headers: RequestHead['headers']): boolean {
  const { origin, host = '', 'sec-fetch-site': site = 'none' } = headers
  if (!['none', 'same-origin'].includes(site)) return false
  // The scheme is not compared, because a proxy in front may speak https.
  return origin === undefined || origin.replace(/^https?:\/\//, '').toLowerCase() === host.toLowerCase()
}

/**
 * Whether a browser uses https. A listener with plain HTTP learns it from the browser and a proxy. Both may be trusted:
 * the sender of a false header gets a cookie that its own browser does not send back.
 */
export function isReachedByHttps({
  headers,
  protocol,
}: {
  readonly headers: RequestHead['headers']
  readonly protocol: 'http' | 'https'
}): boolean {
  if (protocol === 'https') return true
  const [proto = ''] = (headers['x-forwarded-proto'] ?? '').split(',')
  return headers['origin']?.startsWith('https://') === true || proto.trim().toLowerCase() === 'https'
}
