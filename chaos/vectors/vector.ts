/** Bytes that two servers could read in two ways. */
export interface Vector {
  readonly name: string
  /** As latin1 text, for the path `/r0/v000`; whoever sends it puts a path of the same length in its place. */
  readonly text: string
  /** The tenants of the requests that a gateway passes on, in their order; none when it refuses them. */
  readonly tenants: readonly string[]
}

/** The path that stands for all paths. */
export const PATH = '/r0/v000'

const own = 'Host: gateway\r\nX-Tenant-ID: acme\r\n'

/** The request that must not come out of another one. */
export const smuggled = `GET ${PATH}/smuggled HTTP/1.1\r\nHost: gateway\r\nX-Tenant-ID: globex\r\n\r\n`

/** A head with some lines more, and what follows it. */
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

/** Texts as chunks, with the last one. */
export function chunks(...texts: readonly string[]): string {
  return [...texts, ''].map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join('')
}

/** Vectors that a gateway refuses. */
export function refused(texts: Readonly<Record<string, string>>): Vector[] {
  return passed([], texts)
}

/** Vectors of which it passes on requests of these tenants. */
export function passed(tenants: readonly string[], texts: Readonly<Record<string, string>>): Vector[] {
  return Object.entries(texts).map(([name, text]) => ({ name, text, tenants }))
}
