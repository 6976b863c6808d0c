import { existsSync } from 'node:fs'
import {
  type ConfigFault,
  type ConfigPath,
  type ConfigWarning,
  formatPath,
  type GatewayConfig,
  loadConfig,
  loadForCheck,
  startFaults,
  warningKinds,
} from '@agentic-rest/gateway'
import type { Host } from '../host.ts'
import { loadFilePlugins } from '../load-file-plugins.ts'
import { terminalLine } from '../terminal-text.ts'
import { checkLive, type LiveFinding, liveRules } from './live.ts'

/** The ids of all findings of `agentic check`, each with its meaning. */
export const checkRules: Readonly<Record<string, string>> = {
  invalid: 'The file is not a valid configuration.',
  initialisation: 'The file is valid, but a gateway cannot start with it.',
  ...warningKinds,
  'missing-file': 'A file named in the configuration is not on this machine.',
  ...liveRules,
}

/** A warning of the gateway, a missing file on this machine, or a finding of the live check. */
export type CheckWarning = Omit<ConfigWarning, 'id'> & {
  readonly id: ConfigWarning['id'] | 'missing-file' | LiveFinding['id']
}

/** The result of a check. */
export interface CheckReport {
  readonly file: string
  /** Whether a gateway accepts the file. */
  readonly valid: boolean
  /** Whether the check passed. With `--strict` a warning fails it. */
  readonly passed: boolean
  readonly faults: readonly ConfigFault[]
  readonly warnings: readonly CheckWarning[]
  /** With `--allow`: the findings that the command line accepts. */
  readonly allowed?: readonly CheckWarning[]
  /** With `--live`: targets that do not answer. */
  readonly unreachable?: readonly CheckWarning[]
}

interface CheckOptions {
  readonly host: Host
  readonly strict: boolean
  /** Whether the targets are asked for their documents. */
  readonly live: boolean
  /** The ids of findings that are accepted. */
  readonly allow: readonly string[]
}

/** The ids that `--allow` accepts: all but faults, with which no gateway starts. */
export const allowableRules: readonly string[] = Object.keys(checkRules).filter(
  (id) => id !== 'invalid' && id !== 'initialisation',
)

/** Checks a file, the files it names and the modules of its custom plugins. It starts nothing. */
export async function checkFile(
  file: string,
  { host, strict, live, allow }: CheckOptions,
): Promise<CheckReport> {
  const read = loadConfig(file, host.env)
  const result = await loadFilePlugins(read, host, loadForCheck)
  const faults = [...(result.ok ? [] : result.faults), ...contentFaults(read, file)].toSorted(
    (a, b) => a.line - b.line || a.column - b.column,
  )
  if (!result.ok || faults.length > 0) return { file, valid: false, passed: false, faults, warnings: [] }
  const located = ({ id, path, message }: MissingFile | LiveFinding): CheckWarning => {
    const { line, column } = result.positionOf(path)
    return { id, file, line, column, path: formatPath(path), message }
  }
  const progress = (message: string) => void host.stderr.write(`${terminalLine(message)}\n`)
  const found = [...missingFiles(result.config), ...(live ? await checkLive(result, progress) : [])].map(
    located,
  )
  const all = [...result.warnings, ...found].toSorted((a, b) => a.line - b.line || a.column - b.column)
  const isAllowed = ({ id }: CheckWarning) => allow.includes(id)
  const counted = all.filter((warning) => !isAllowed(warning))
  const unreachable = counted.filter(isUnreachable)
  const warnings = counted.filter((warning) => !isUnreachable(warning))
  const passed = unreachable.length === 0 && (!strict || warnings.length === 0)
  return {
    file,
    valid: true,
    passed,
    faults: [],
    warnings,
    ...(allow.length > 0 && { allowed: all.filter(isAllowed) }),
    ...(live && { unreachable }),
  }
}

/** What a start would refuse in the files of a configuration. A section with a file that is not here cannot be judged. */
function contentFaults(read: ReturnType<typeof loadConfig>, file: string): ConfigFault[] {
  const places = read.ok ? read : read.sound
  if (places === undefined) return []
  const references = read.ok ? referencedFiles(read.config) : (read.sound?.issuers ?? []).flatMap(issuerFiles)
  const missing = references.filter(([, name]) => !existsSync(name)).map(([path]) => formatPath(path))
  return startFaults(read).flatMap(({ path, message }): ConfigFault[] => {
    const key = formatPath(path)
    if (missing.some((absent) => absent.startsWith(key))) return []
    return [{ file, ...places.positionOf(path), path: key, message, kind: 'initialisation' }]
  })
}

function isUnreachable({ id }: CheckWarning): boolean {
  return id === 'target-unreachable'
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
export function findingsOf(
  { faults, warnings, unreachable = [] }: CheckReport,
  strict: boolean,
): CheckFinding[] {
  const level = strict ? 'error' : 'warning'
  return [
    ...faults.map(({ kind, ...fault }) => ({ ...fault, id: kind, level: 'error' as const })),
    ...unreachable.map((finding): CheckFinding => ({ ...finding, level: 'error' })),
    ...warnings.map((warning): CheckFinding => ({ ...warning, level })),
  ]
}

interface MissingFile {
  readonly id: 'missing-file'
  readonly path: ConfigPath
  readonly message: string
}

/** The file with the JSON Schema of a tool, if it has one. */
function inputFileOf(tool: GatewayConfig['routes'][number]['mcp']): string | undefined {
  return tool === undefined || ['openapi', 'none'].includes(tool.input) ? undefined : tool.input
}

/**
 * Files named in the configuration that are not on this machine. They are warnings: a configuration is often checked
 * on a machine without its certificates.
 */
function missingFiles(config: GatewayConfig): MissingFile[] {
  return referencedFiles(config)
    .filter(([, file]) => !existsSync(file))
    .map(([path, file]) => ({ id: 'missing-file', path, message: `there is no file ${file} here` }))
}

type Reference = readonly [path: ConfigPath, file: string]

function referencedFiles({ gateway, plugins, upstreams, mcp, routes }: GatewayConfig): Reference[] {
  const { tls, admin, identity, shared, approvals_page: page } = gateway
  const webhooks = (['tenant-injector', 'license-check'] as const).flatMap((name) =>
    Object.entries(plugins[name].webhook?.headers_files ?? {}).flatMap(([header, file]) =>
      named(['plugins', name, 'webhook', 'headers_files', header], file),
    ),
  )
  return [
    ...named(['gateway', 'tls', 'cert_file'], tls?.cert_file),
    ...named(['gateway', 'tls', 'key_file'], tls?.key_file),
    ...named(['gateway', 'tls', 'client_ca_file'], tls?.client_ca_file),
    ...named(['gateway', 'admin', 'tls', 'cert_file'], admin?.tls?.cert_file),
    ...named(['gateway', 'admin', 'tls', 'key_file'], admin?.tls?.key_file),
    ...named(['gateway', 'admin', 'tls', 'client_ca_file'], admin?.tls?.client_ca_file),
    ...named(['gateway', 'identity', 'key_file'], identity?.key_file),
    ...(page?.key_files ?? []).flatMap((file, index) =>
      named(['gateway', 'approvals_page', 'key_files', index], file),
    ),
    ...named(['gateway', 'shared', 'redis_url_file'], shared?.redis_url_file),
    ...[...plugins['token-validator'].issuers.entries()].flatMap(issuerFiles),
    ...webhooks,
    ...(mcp?.state_secrets_files ?? []).flatMap((file, index) =>
      named(['mcp', 'state_secrets_files', index], file),
    ),
    ...Object.entries(upstreams).flatMap(([name, upstream]) => targetFiles(['upstreams', name], upstream)),
    ...routes.flatMap((route, index) => [
      ...targetFiles(['routes', index], route),
      ...named(['routes', index, 'mcp', 'input'], inputFileOf(route.mcp)),
    ]),
  ]
}

type TargetFiles = Pick<GatewayConfig['routes'][number], 'ca_file' | 'client_cert_file' | 'client_key_file'>

function targetFiles(path: ConfigPath, files: TargetFiles): Reference[] {
  return (['ca_file', 'client_cert_file', 'client_key_file'] as const).flatMap((key) =>
    named([...path, key], files[key]),
  )
}

type Issuer = GatewayConfig['plugins']['token-validator']['issuers'][number]

function issuerFiles([index, { jwks_file, hs256_secret_file, introspection }]: readonly [
  index: number,
  issuer: Issuer,
]): Reference[] {
  const path = ['plugins', 'token-validator', 'issuers', index]
  return [
    ...named([...path, 'jwks_file'], jwks_file),
    ...named([...path, 'hs256_secret_file'], hs256_secret_file),
    ...named([...path, 'introspection', 'client_secret_file'], introspection?.client_secret_file),
  ]
}

function named(path: ConfigPath, file: string | undefined): Reference[] {
  return file === undefined ? [] : [[path, file]]
}
