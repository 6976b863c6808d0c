import type { StoreOptions } from '../../../src/runtime/store.ts'
import type { Crash } from './crashing-store.ts'

/** The settings of a test program. */
export interface ProgramSettings {
  readonly store: StoreOptions
  readonly tenantId: string
  /** The keys to process, oldest first. The process may be killed during the last one. */
  readonly keys: readonly string[]
  /** The step at which the process kills itself, during the last key. */
  readonly crash: Crash
  /** The offset of the process clock, so that the leases of its predecessor have ended. */
  readonly secondsAhead: number
}

/** Reads the settings of this program. */
export function readSettings<Settings = ProgramSettings>(): Settings {
  return JSON.parse(process.argv[2] ?? '{}') as Settings
}

/** Prints a line for the test. */
export function tell(line: string): void {
  process.stdout.write(`${line}\n`)
}
