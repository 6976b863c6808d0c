/** The names that `serve` answers to. */
interface HostOptions {
  /** The address or name that it listens on. */
  readonly host: string
  /** Further names, for example that of a container in its network. */
  readonly hosts: readonly string[]
}

/** Whether a request to a URL, received at a local address, is for this server. */
export type HostCheck = (url: URL, localAddress: string | undefined) => boolean

/**
 * Creates the check of hosts. A page of another site can let its own name point to a local address (DNS rebinding). The
 * browser then sends requests here, but with that name as their host.
 */
export function createHostCheck({ host, hosts }: HostOptions): HostCheck {
  const known = new Set(['localhost', ...[host, ...hosts].map(readHost)])
  return function isOwn({ hostname }, localAddress) {
    return known.has(hostname) || (localAddress !== undefined && hostname === readHost(localAddress))
  }
}

/** The end of a connection at this server; a caller cannot choose it, unlike the header `Host`. */
export interface OwnEnd {
  readonly address: string
  readonly port: number
  readonly isSecure: boolean
}

/** The own end of a connection, in the bindings that Node's listeners and Hono pass on; `undefined` if they are others. */
export function ownEndOf(bindings: unknown): OwnEnd | undefined {
  const { incoming } = Object(bindings) as { incoming?: unknown }
  const { socket } = Object(incoming) as { socket?: unknown }
  const { localAddress: address, localPort: port, encrypted } = Object(socket) as Record<string, unknown>
  if (typeof address !== 'string' || typeof port !== 'number') return undefined
  return { address, port, isSecure: encrypted === true }
}

const LOOPBACK = /^(?:127\.|\[::1\]$)/

/** The origins that lead to an end of a connection: its address and, on the machine itself, `localhost`. */
export function originsOf({ address, port, isSecure }: OwnEnd): readonly string[] {
  const host = readHost(address)
  const hosts = LOOPBACK.test(host) ? [host, 'localhost'] : [host]
  return hosts.map((name) => new URL(`${isSecure ? 'https' : 'http'}://${name}:${port}`).origin)
}

/** A name or address as the `hostname` of a URL has it: in lower case, IPv6 in brackets, IPv4 unmapped. */
function readHost(given: string): string {
  const address = given.replace(/^::ffff:(?=\d+\.)/i, '')
  const url = URL.parse(`http://${/^[\da-f:.]*:[\da-f:.]*$/i.test(address) ? `[${address}]` : address}`)
  if (url === null || url.port !== '' || url.origin !== url.href.slice(0, -1) || given.endsWith(':80'))
    throw new TypeError(`a host is a name or an address without scheme, port and path, not "${given}"`)
  return url.hostname
}
