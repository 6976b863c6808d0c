import { existsSync } from 'node:fs'
import type { ConfigPath, GatewayConfig } from '@agentic-rest/gateway'

/** A file that is named and not here. */
export interface MissingFile {
  readonly path: ConfigPath
  readonly message: string
}

/**
 * Files that a configuration names and that are not on this machine. A warning and no fault: a file is often
 * checked where the certificates it will run with are not.
 */
export function missingFiles(config: GatewayConfig): MissingFile[] {
  return referencedFiles(config)
    .filter(([, file]) => !existsSync(file))
    .map(([path, file]) => ({ path, message: `there is no file ${file} here` }))
}

type Reference = readonly [path: ConfigPath, file: string]

function referencedFiles({ gateway, plugins, routes }: GatewayConfig): Reference[] {
  const { tls } = gateway
  return [
    ...named(['gateway', 'tls', 'cert_file'], tls?.cert_file),
    ...named(['gateway', 'tls', 'key_file'], tls?.key_file),
    ...plugins['token-validator'].issuers.flatMap(({ jwks_file }, index) =>
      named(['plugins', 'token-validator', 'issuers', index, 'jwks_file'], jwks_file),
    ),
    ...routes.flatMap(({ ca_file }, index) => named(['routes', index, 'ca_file'], ca_file)),
  ]
}

function named(path: ConfigPath, file: string | undefined): Reference[] {
  return file === undefined ? [] : [[path, file]]
}
