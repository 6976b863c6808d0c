import type { Programs } from './programs.ts'
import type { Issuer } from './tokens.ts'

/** What every measurement works with. */
export interface BenchContext {
  readonly programs: Programs
  /** Files of this run; gone afterwards. */
  readonly folder: string
  readonly upstreamPort: number
  readonly issuer: Issuer
  readonly rounds: number
  readonly secondsPerRound: number
  readonly seed: number
  /** Another checkout, whose gateway is measured too. */
  readonly beside: string | undefined
  /** Tells what is being measured, on stderr. */
  readonly tell: (line: string) => void
}
