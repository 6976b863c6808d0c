import { Resolver } from 'node:dns/promises'
import type { UpstreamConfig } from '../../config/config-schema.ts'

/** The options of a name. */
export type DnsOptions = NonNullable<UpstreamConfig['dns']>

/** Receives the results of look-ups. */
export interface AddressReceiver {
  /** The addresses in a fixed order, at least one. */
  onAddresses(addresses: readonly string[]): void
  onFailed(error: unknown): void
}

/** A name that is resolved regularly. */
export interface Resolving {
  /** Resolves with the end of the first look-up. */
  readonly first: Promise<void>
  close(): void
}

const TIMEOUT_MS = 2000
const TRIES = 2
/** More addresses than this are a mistake of the zone. */
const MAX_ADDRESSES = 256

/** Resolves a name at once and then regularly. A failed look-up changes nothing: the known addresses stay in use. */
export function startResolving(dns: DnsOptions, receiver: AddressReceiver): Resolving {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
  if (dns.server !== undefined) resolver.setServers([dns.server])
  let isClosed = false
  let isRunning = false
  const refresh = async () => {
    if (isRunning) return
    isRunning = true
    try {
      const addresses = await resolve(resolver, dns.name)
      if (!isClosed) receiver.onAddresses(addresses)
    } catch (error) {
      if (!isClosed) receiver.onFailed(error)
    }
    isRunning = false
  }
  const first = refresh()
  const timer = setInterval(() => void refresh(), dns.refresh_seconds * 1000)
  timer.unref()
  return {
    first,
    close() {
      isClosed = true
      clearInterval(timer)
      resolver.cancel()
    },
  }
}

/** A records, or AAAA records without any: a server with both would count twice. */
async function resolve(resolver: Resolver, name: string): Promise<string[]> {
  const addresses = await resolver.resolve4(name).catch(async (error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENODATA') throw error
    return await resolver.resolve6(name)
  })
  return [...new Set(addresses)].toSorted().slice(0, MAX_ADDRESSES)
}
