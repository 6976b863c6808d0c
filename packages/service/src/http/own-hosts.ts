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

/** A name or address as the `hostname` of a URL has it: in lower case, IPv6 in brackets, IPv4 unmapped. */
function readHost(given: string): string {
  const address = given.replace(/^::ffff:(?=\d+\.)/i, '')
  const url = URL.parse(`http://${/^[\da-f:.]*:[\da-f:.]*$/i.test(address) ? `[${address}]` : address}`)
  if (url === null || url.port !== '' || url.origin !== url.href.slice(0, -1) || given.endsWith(':80'))
    throw new TypeError(`a host is a name or an address without scheme, port and path, not "${given}"`)
  return url.hostname
}
