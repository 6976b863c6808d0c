import { connect as connectTcp, isIP, type OnReadOpts, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** One server to connect to. */
export interface Origin {
  readonly protocol: 'http:' | 'https:'
  readonly hostname: string
  readonly port: number
  /** The only authorities that are trusted, where the operator named some. */
  readonly ca?: readonly string[]
}

const KEEP_ALIVE_PROBE_MS = 60_000

/** Reads an origin from the address of a route. */
export function originOf(target: string, ca?: readonly string[]): Origin {
  const { protocol, hostname, port } = new URL(target)
  const isTls = protocol === 'https:'
  return {
    protocol: isTls ? 'https:' : 'http:',
    // An IPv6 address stands in brackets in an address, and without them everywhere else.
    hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (isTls ? 443 : 80) : Number(port),
    ...(ca === undefined ? {} : { ca }),
  }
}

/** Opens a connection; what comes is written into `onread`'s memory. It may be written to at once. */
export function openSocket({ protocol, hostname, port, ca }: Origin, onread: OnReadOpts): Socket {
  const options = {
    host: hostname,
    port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
    onread,
  }
  if (protocol === 'http:') return connectTcp(options)
  const servername = isIP(hostname) === 0 ? { servername: hostname } : {}
  const trusted = ca === undefined ? {} : { ca: [...ca] }
  return connectTls({ ...options, ...servername, ...trusted, ALPNProtocols: ['http/1.1'] })
}
