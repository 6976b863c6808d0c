import { ensureProgram } from '../tests/debian-package.ts'
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

const needed = {
  wrk: { program: 'wrk', package: 'wrk' },
  nginx: { program: 'nginx', package: 'nginx-light' },
  taskset: { program: 'taskset', package: 'util-linux' },
} as const

/** Finds the programs and installs missing ones if the machine allows it; otherwise the error lists all missing ones. */
export function findPrograms(): Programs {
  const found = Object.entries(needed).map(([name, program]) => ({ name, ...ensureProgram(program) }))
  const missing = found.flatMap((each) => ('missing' in each ? [each.missing] : []))
  if (missing.length > 0) throw new Error(missing.join('\n'))
  return Object.fromEntries(
    found.map((each) => [each.name, 'path' in each ? each.path : '']),
  ) as unknown as Programs
}
