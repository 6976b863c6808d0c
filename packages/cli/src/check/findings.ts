import { existsSync } from 'node:fs'
import {
  type ConfigFault,
  type ConfigPath,
  type ConfigWarning,
  formatPath,
  loadConfig,
  loadForCheck,
  type NamedFile,
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

/** Checks a file, the files it names and its custom plugins, which are created and closed. It starts nothing else. */
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
  const found = [...missingFiles(result.files), ...(live ? await checkLive(result, progress) : [])].map(
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
  const missing = missingFiles(places.files).map(({ path }) => formatPath(path))
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

/**
 * Files named in the configuration that are not on this machine. They are warnings: a configuration is often checked
 * on a machine without its certificates.
 */
function missingFiles(files: readonly NamedFile[]): MissingFile[] {
  return files
    .filter(({ name }) => !existsSync(name))
    .map(({ path, name }) => ({ id: 'missing-file', path, message: `there is no file ${name} here` }))
}
