import { ConnectionPool, type Origin, type OriginTls } from '@agentic-rest/http1'
import type { LimitOptions } from '../config/config-schema.ts'
import { readCertificates } from '../config/read-files.ts'
import { InitialisationError } from '../errors.ts'
import { Semaphore, type SemaphoreLimits } from '../limits/shares/semaphore.ts'
import { tenantShares } from '../limits/shares/tenant-shares.ts'
import { loadKeyPair } from '../listen/key-pair.ts'

/** The connections to one origin, with bounds on its concurrent and its waiting requests. */
export interface UpstreamPool {
  readonly connections: ConnectionPool
  /** The name in metrics, which must not show addresses: the upstream, or the first route to the origin. */
  readonly name: string
  readonly permits: Semaphore
  /** Closes every connection, busy or idle. */
  close(): void
}

/** One address that requests go to: its connections, and the parts of its address. */
export interface UpstreamTarget {
  readonly pool: UpstreamPool
  readonly origin: string
  /** Without a slash at its end; empty for the root. */
  readonly basePath: string
}

/** Makes the pool of an origin. */
export function createPool(origin: Origin, name: string, bounds: SemaphoreLimits): UpstreamPool {
  const connections = new ConnectionPool(origin, bounds.permits)
  return { connections, name, permits: new Semaphore(bounds), close: () => connections.close() }
}

/** The bounds of the requests to one origin. */
export function boundsOf(limits: LimitOptions): SemaphoreLimits {
  const { upstreamConnections, upstreamQueue } = tenantShares(limits)
  return {
    permits: limits.max_upstream_connections_per_origin,
    permitsPerTenant: upstreamConnections,
    queue: limits.max_upstream_queue_per_origin,
    queuePerTenant: upstreamQueue,
  }
}

/** The path of a target's address, without a slash at its end. */
export function basePathOf({ pathname }: URL): string {
  return pathname.replace(/\/$/, '')
}

/** The file names for TLS of a route or an upstream. */
export interface TlsFileNames {
  readonly ca_file?: string | undefined
  readonly client_cert_file?: string | undefined
  readonly client_key_file?: string | undefined
}

/**
 * The certificates of `ca_file`, which are then the only trusted ones, and the gateway's own certificate with its key.
 * `place` is the entry with the names, for messages.
 */
export function readTlsFiles(
  { ca_file, client_cert_file, client_key_file }: TlsFileNames,
  place: string,
): OriginTls {
  const names = { cert: `${place}.client_cert_file`, key: `${place}.client_key_file` }
  if ((client_cert_file === undefined) !== (client_key_file === undefined))
    throw new InitialisationError(`${names.cert} and ${names.key} need each other`)
  return {
    ...(ca_file !== undefined && { ca: readCertificates(ca_file, `${place}.ca_file`).map(String) }),
    ...(client_cert_file !== undefined &&
      client_key_file !== undefined &&
      loadKeyPair({
        cert: { file: client_cert_file, name: names.cert },
        key: { file: client_key_file, name: names.key },
        name: names.cert,
      })),
  }
}
