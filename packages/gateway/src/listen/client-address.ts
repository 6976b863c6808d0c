import { BlockList, isIP } from 'node:net'
import type { RequestHead, RequestWire } from '../exchange.ts'

/** Finds the address of a client. */
export type ClientAddress = (request: Pick<RequestHead & RequestWire, 'clientAddress' | 'headers'>) => string

/** The address of the connection itself. */
export const connectionAddress: ClientAddress = ({ clientAddress }) => clientAddress

const MOST_HOPS = 32

/**
 * The address of the connection, or of the client behind trusted proxies: the rightmost address of `X-Forwarded-For`
 * that is no trusted proxy. Addresses to the left of it are the client's own words.
 */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  if (trustedProxies.length === 0) return connectionAddress
  const trusted = new BlockList()
  for (const range of trustedProxies) {
    const [address = '', bits] = range.split('/')
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6'
    trusted.addSubnet(address, bits === undefined ? (family === 'ipv4' ? 32 : 128) : Number(bits), family)
  }
  const isTrusted = (address: string) => trusted.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')
  return function clientBehindProxies({ clientAddress, headers }) {
    let client = clientAddress
    const forwarded = headers['x-forwarded-for']?.split(',') ?? []
    for (let hop = 0; hop < MOST_HOPS && isTrusted(client); hop += 1) {
      const next = forwarded.pop()?.trim()
      // An entry that is no address ends the walk: the proxy that wrote it is the last that is known.
      if (next === undefined || isIP(next) === 0) return client
      client = next
    }
    return client
  }
}
