import { existsSync } from 'node:fs'
import {
  type ConfigFault,
  type ConfigPath,
  type ConfigWarning,
  formatPath,
  type GatewayConfig,
  loadConfig,
  warningKinds,
} from '@agentic-rest/gateway'
import type { Host } from '../host.ts'
import { loadFilePlugins } from '../load-file-plugins.ts'

/** The ids of all findings of `agentic check`, each with its meaning. */
export const checkRules: Readonly<Record<string, string>> = {
  invalid: 'The file is not a valid configuration.',
  initialisation: 'The file is valid, but a gateway cannot start with it.',
  ...warningKinds,
  'missing-file': 'A file named in the configuration is not on this machine.',
}

/** A warning of the gateway, or a missing file on this machine. */
export type CheckWarning = Omit<ConfigWarning, 'id'> & { readonly id: ConfigWarning['id'] | 'missing-file' }

/** The result of a check. */
export interface CheckReport {
  readonly file: string
  /** Whether a gateway accepts the file. */
  readonly valid: boolean
  /** Whether the check passed. With `--strict` a warning fails it. */
  readonly passed: boolean
  readonly faults: readonly ConfigFault[]
  readonly warnings: readonly CheckWarning[]
}

interface CheckOptions {
  readonly host: Host
  readonly strict: boolean
}

/** Checks a file and the modules of its custom plugins. It starts nothing. */
export async function checkFile(file: string, { host, strict }: CheckOptions): Promise<CheckReport> {
  const result = await loadFilePlugins(loadConfig(file, host.env), host)
  if (!result.ok) return { file, valid: false, passed: false, faults: result.faults, warnings: [] }
  const missing = missingFiles(result.config).map(({ path, message }): CheckWarning => {
    const { line, column } = result.positionOf(path)
    return { id: 'missing-file', file, line, column, path: formatPath(path), message }
  })
  const warnings = [...result.warnings, ...missing].toSorted((a, b) => a.line - b.line || a.column - b.column)
  return { file, valid: true, passed: !strict || warnings.length === 0, faults: [], warnings }
}

/** A fault or a warning, for the formats that list both together. */
export interface CheckFinding {
  readonly id: string
  readonly level: 'error' | 'warning'
  readonly file: string
  readonly line: number
  readonly column: number
  readonly path: string
  readonly message: string
}

/** All faults and warnings of a check, each with its level. */
export function findingsOf({ passed, faults, warnings }: CheckReport): CheckFinding[] {
  const level = passed ? 'warning' : 'error'
  return [
    ...faults.map(({ kind, ...fault }) => ({ ...fault, id: kind, level: 'error' as const })),
    ...warnings.map((warning): CheckFinding => ({ ...warning, level })),
  ]
}

interface MissingFile {
  readonly path: ConfigPath
  readonly message: string
}

/**
 * Files named in the configuration that are not on this machine. They are warnings: a configuration is often checked
 * on a machine without its certificates.
 */
function missingFiles(config: GatewayConfig): MissingFile[] {
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
