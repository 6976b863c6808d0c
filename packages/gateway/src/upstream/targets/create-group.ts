import { hash } from 'node:crypto'
import { type OriginTls, originOf } from '@agentic-rest/http1'
import type { LimitOptions, UpstreamConfig } from '../../config/config-schema.ts'
import { causeOf } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { createShared, type Held, type Shared } from '../shared-resources.ts'
import { basePathOf, boundsOf, readTlsFiles } from '../upstream-pool.ts'
import { type DnsOptions, startResolving } from './dns-addresses.ts'
import { createTarget, type Target, type TargetAddress } from './target.ts'
import { type TargetCounts, TargetGroup } from './target-group.ts'

/** The groups and targets of all configurations: a reload keeps the state of those it does not change. */
export interface SharedGroups {
  readonly groups: Shared<TargetGroup>
  readonly targets: Shared<Target>
}

/** Makes the groups of a gateway. */
export function createSharedGroups(): SharedGroups {
  return { groups: createShared<TargetGroup>(), targets: createShared<Target>() }
}

/** The parts of the gateway that groups use. */
export interface GroupWorld {
  readonly sharedGroups: SharedGroups
  readonly metrics: TargetCounts
  readonly log: Log
}

/** An upstream of a configuration. */
export interface NamedUpstream {
  readonly name: string
  readonly upstream: UpstreamConfig
  readonly limits: LimitOptions
}

/** Holds the group of an upstream; makes it when its settings are new. Throws for files that cannot be used. */
export function holdGroup({ name, upstream, limits }: NamedUpstream, world: GroupWorld): Held<TargetGroup> {
  const { sharedGroups, metrics, log } = world
  const bounds = boundsOf(limits)
  const tls = readTlsFiles(upstream, `upstreams.${name}`)
  // A digest: a private key does not belong into a key of a map.
  const content = hash('sha256', JSON.stringify(tls))
  const { health } = upstream
  const hold = (address: TargetAddress) =>
    sharedGroups.targets.hold(
      JSON.stringify([name, address.url, address.audience, content, bounds, health]),
      () => createTarget(address, { upstream: name, bounds, health, log }),
    )
  return sharedGroups.groups.hold(JSON.stringify([name, upstream, content, bounds]), () => {
    const group = new TargetGroup({ name, options: upstream, hold, counts: metrics, log })
    const { targets = [], dns } = upstream
    if (dns === undefined) group.use(targets.map((target) => listedAddress(target, tls)))
    else followName(group, dns, { tls, log })
    return group
  })
}

function listedAddress(
  { url, weight }: NonNullable<UpstreamConfig['targets']>[number],
  tls: OriginTls,
): TargetAddress {
  const address = new URL(url)
  return {
    url: address.href.replace(/\/$/, ''),
    weight,
    audience: address.origin,
    basePath: basePathOf(address),
    open: () => originOf(url, tls),
  }
}

/** Every target has the name in `Host`, in certificates and in signed identities; only its socket has the address. */
function resolvedAddress(dns: DnsOptions, ip: string, tls: OriginTls): TargetAddress {
  const { scheme, name, port } = dns
  const { origin } = new URL(`${scheme}://${name}:${port}`)
  return {
    url: `${scheme}://${ip.includes(':') ? `[${ip}]` : ip}:${port}`,
    weight: 1,
    audience: origin,
    basePath: '',
    open: () => ({ ...originOf(origin, tls), hostname: ip, servername: name }),
  }
}

function followName(
  group: TargetGroup,
  dns: DnsOptions,
  { tls, log }: { readonly tls: OriginTls; readonly log: Log },
): void {
  const { name } = group
  const resolving = startResolving(dns, {
    onAddresses(addresses) {
      group.isStale = false
      group.use(addresses.map((ip) => resolvedAddress(dns, ip, tls)))
    },
    onFailed(error) {
      // The first failure is told; the state lasts until the name is resolved again.
      if (!group.isStale)
        log.warn('the name of an upstream cannot be resolved: its known targets stay in use', {
          upstream: name,
          cause: causeOf(error),
        })
      group.isStale = true
    },
  })
  group.ready = resolving.first.then(() => {
    group.ready = undefined
  })
  group.closeWith(resolving.close)
}
