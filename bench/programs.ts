import { ensureProgram } from '../tests/debian-package.ts'

/** What the measurements run beside Node. */
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

/** Finds the programs, installs what is missing where the machine allows it, and names all that is missing otherwise. */
export function findPrograms(): Programs {
  const found = Object.entries(needed).map(([name, program]) => ({ name, ...ensureProgram(program) }))
  const missing = found.flatMap((each) => ('missing' in each ? [each.missing] : []))
  if (missing.length > 0) throw new Error(missing.join('\n'))
  return Object.fromEntries(
    found.map((each) => [each.name, 'path' in each ? each.path : '']),
  ) as unknown as Programs
}
