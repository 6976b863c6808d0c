import { isDeepStrictEqual } from 'node:util'
import type { GatewayConfig } from '../config/config-schema.ts'
import { type ConfigFault, formatPath, type Path } from '../config/faults.ts'
import type { ConfigResult } from '../config/parse-config.ts'

type Valid = Extract<ConfigResult, { readonly ok: true }>

/** A key that a running gateway cannot change: a listener is bound, and Node settles some things when it makes a server. */
interface FixedKey {
  readonly path: Path
  readonly read: (gateway: GatewayConfig['gateway']) => unknown
  readonly message: string
}

const RESTART = 'cannot change without a restart'

/** Every key of the kind; `docs/operations.md` names them. */
export const fixedKeys: readonly FixedKey[] = [
  { path: ['gateway', 'host'], read: ({ host }) => host, message: RESTART },
  { path: ['gateway', 'port'], read: ({ port }) => port, message: RESTART },
  { path: ['gateway', 'shared'], read: ({ shared }) => shared, message: RESTART },
  { path: ['gateway', 'workers'], read: ({ workers }) => workers, message: RESTART },
  { path: ['gateway', 'admin'], read: ({ admin }) => admin, message: RESTART },
  {
    path: ['gateway', 'tls'],
    read: ({ tls }) => tls === undefined,
    message: 'cannot be added or removed without a restart',
  },
  {
    path: ['gateway', 'limits', 'max_header_bytes'],
    read: ({ limits }) => limits.max_header_bytes,
    message: RESTART,
  },
]

/** What of a file could only be had by a restart. A file is taken as a whole or not at all, so each is a fault. */
export function fixedKeyFaults(running: GatewayConfig, loaded: Valid, file: string): ConfigFault[] {
  return fixedKeys
    .filter(({ read }) => !isDeepStrictEqual(read(running.gateway), read(loaded.config.gateway)))
    .map(({ path, message }) => ({
      file,
      ...loaded.positionOf(path),
      path: formatPath(path),
      message,
      kind: 'initialisation',
    }))
}
