/** Ambiguous bytes: two servers could read them differently. */
export interface Vector {
  readonly name: string
  /** Latin1 text for the path `/r0/v000`; the sender replaces it by a path of the same length. */
  readonly text: string
  /** The tenants of the forwarded requests, in order; none for a refused vector. */
  readonly tenants: readonly string[]
}

/** The placeholder for paths. */
export const PATH = '/r0/v000'

const own = 'Host: gateway\r\nX-Tenant-ID: acme\r\n'

/** The smuggled request. */
export const smuggled = `GET ${PATH}/smuggled HTTP/1.1\r\nHost: gateway\r\nX-Tenant-ID: globex\r\n\r\n`

/** A head with additional lines, and the bytes after it. */
export function request(method: string, lines: string, rest = ''): string {
  return `${method} ${PATH} HTTP/1.1\r\n${own}${lines}\r\n${rest}`
}

/** A POST. */
export function post(lines: string, rest = ''): string {
  return request('POST', lines, rest)
}

/** A GET. */
export function get(lines: string, rest = ''): string {
  return request('GET', lines, rest)
}

/** A request line of any form, with the usual headers. */
export function line(text: string, lines = ''): string {
  return `${text}\r\n${own}${lines}\r\n`
}

/** Texts as chunks, with the final chunk. */
export function chunks(...texts: readonly string[]): string {
  return [...texts, ''].map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join('')
}

/** Vectors that the gateway refuses. */
export function refused(texts: Readonly<Record<string, string>>): Vector[] {
  return passed([], texts)
}

/** Vectors whose requests the gateway forwards for these tenants. */
export function passed(tenants: readonly string[], texts: Readonly<Record<string, string>>): Vector[] {
  return Object.entries(texts).map(([name, text]) => ({ name, text, tenants }))
}
