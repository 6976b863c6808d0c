import { BlockList, isIP } from 'node:net'
import type { RequestHead, RequestWire } from '../exchange.ts'

type SeenRequest = Pick<RequestHead & RequestWire, 'clientAddress' | 'headers'>

/** Finds the address of a client. */
export type ClientAddress = (request: SeenRequest) => string

/** Finds the addresses of a client and of the proxies that it came through, the client first. */
export type ClientPath = (request: SeenRequest) => readonly [string, ...string[]]

/** The address of the connection itself. */
export const connectionAddress: ClientAddress = ({ clientAddress }) => clientAddress

const MOST_HOPS = 32

const connectionPath: ClientPath = ({ clientAddress }) => [clientAddress]

/**
 * The address of the connection, or of the client behind trusted proxies: the rightmost address of `X-Forwarded-For`
 * that is no trusted proxy, and the proxies behind it. Addresses to the left of it are the client's own words.
 */
export function createClientPath(trustedProxies: readonly string[]): ClientPath {
  if (trustedProxies.length === 0) return connectionPath
  const trusted = new BlockList()
  for (const range of trustedProxies) {
    const [address = '', bits] = range.split('/')
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6'
    trusted.addSubnet(address, bits === undefined ? (family === 'ipv4' ? 32 : 128) : Number(bits), family)
  }
  const isTrusted = (address: string) => trusted.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')
  return function clientBehindProxies({ clientAddress, headers }) {
    const path: [string, ...string[]] = [clientAddress]
    const forwarded = headers['x-forwarded-for']?.split(',') ?? []
    for (let hop = 0; hop < MOST_HOPS && isTrusted(path[0]); hop += 1) {
      const next = forwarded.pop()?.trim()
      // An entry that is no address ends the walk: the proxy that wrote it is the last that is known.
      if (next === undefined || isIP(next) === 0) return path
      path.unshift(next)
    }
    return path
  }
}
