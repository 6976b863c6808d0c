import { programPath } from '@agentic-rest/testing/programs'
import type { Issuer } from './tokens.ts'

/** The common context of all measurements. */
export interface BenchContext {
  readonly programs: Programs
  /** A temporary folder of this run. */
  readonly folder: string
  readonly upstreamPort: number
  readonly issuer: Issuer
  readonly rounds: number
  readonly secondsPerRound: number
  readonly seed: number
  /** Another checkout, with a gateway to measure too. */
  readonly beside: string | undefined
  /** Prints the progress on stderr. */
  readonly tell: (line: string) => void
}

/** The external programs of the measurements. */
export interface Programs {
  readonly wrk: string
  readonly nginx: string
  readonly taskset: string
}

/** The paths of the programs. */
export function findPrograms(): Programs {
  return { wrk: programPath('wrk'), nginx: programPath('nginx'), taskset: programPath('taskset') }
}
