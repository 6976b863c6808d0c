import { type DebianProgram, ensureProgram } from '../tests/debian-package.ts'

/** A run cannot be done here, because a program is missing; the message says how to get it. */
export class MissingProgramError extends Error {
  override readonly name = 'MissingProgramError'
}

/** Where a program is that a run cannot do without. */
export function requiredProgram(needed: DebianProgram): string {
  const found = ensureProgram(needed)
  if ('missing' in found) throw new MissingProgramError(found.missing)
  return found.path
}
