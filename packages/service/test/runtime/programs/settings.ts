import type { StoreOptions } from '../../../src/runtime/store.ts'
import type { Crash } from './crashing-store.ts'

/** What a test tells the program that it starts. */
export interface ProgramSettings {
  readonly store: StoreOptions
  readonly tenantId: string
  /** The keys that are to be worked on, oldest first; the process may be killed while it works on the last. */
  readonly keys: readonly string[]
  /** Where the process kills itself while it works on the last key. */
  readonly crash: Crash
  /** How far this process's clock is ahead: it lives when the leases of its predecessor have ended. */
  readonly secondsAhead: number
}

/** Reads the settings of this program. */
export function readSettings<Settings = ProgramSettings>(): Settings {
  return JSON.parse(process.argv[2] ?? '{}') as Settings
}

/** Tells the test something: one line each. */
export function tell(line: string): void {
  process.stdout.write(`${line}\n`)
}
