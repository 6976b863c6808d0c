import { type ConfigFault, type ConfigWarning, formatPath, loadConfig } from '@agentic-rest/gateway'
import { missingFiles } from './missing-files.ts'

/** A warning of the gateway, or of what only this machine shows. */
export type CheckWarning = Omit<ConfigWarning, 'id'> & { readonly id: ConfigWarning['id'] | 'missing-file' }

/** What checking a file found. */
export interface CheckReport {
  readonly file: string
  /** Whether a gateway would take the file. */
  readonly valid: boolean
  /** Whether the check passed: with `--strict` warnings count as errors. */
  readonly passed: boolean
  readonly faults: readonly ConfigFault[]
  readonly warnings: readonly CheckWarning[]
}

/** What a check is made of besides the file. */
export interface CheckOptions {
  readonly env: NodeJS.ProcessEnv
  readonly strict: boolean
}

/** Checks a file, without starting anything. */
export function checkFile(file: string, { env, strict }: CheckOptions): CheckReport {
  const result = loadConfig(file, env)
  if (!result.ok) return { file, valid: false, passed: false, faults: result.faults, warnings: [] }
  const missing = missingFiles(result.config).map(({ path, message }): CheckWarning => {
    const { line, column } = result.positionOf(path)
    return { id: 'missing-file', file, line, column, path: formatPath(path), message }
  })
  const warnings = [...result.warnings, ...missing].toSorted((a, b) => a.line - b.line || a.column - b.column)
  return { file, valid: true, passed: !strict || warnings.length === 0, faults: [], warnings }
}

/** A fault or a warning, as formats for machines list them together. */
export interface CheckFinding {
  readonly id: string
  readonly level: 'error' | 'warning'
  readonly file: string
  readonly line: number
  readonly column: number
  readonly path: string
  readonly message: string
}

/** Everything a check found, with the level it has in this check. */
export function findingsOf({ passed, faults, warnings }: CheckReport): CheckFinding[] {
  const level = passed ? 'warning' : 'error'
  return [
    ...faults.map(({ kind, ...fault }) => ({ ...fault, id: kind, level: 'error' as const })),
    ...warnings.map((warning): CheckFinding => ({ ...warning, level })),
  ]
}
