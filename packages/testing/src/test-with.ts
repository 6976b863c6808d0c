import { describe, expect, test } from 'vitest'
import { missingPrograms, type ProgramName, programPath } from './programs.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** Why a test is skipped on this machine; the reporter counts skipped tests by this text. */
    skippedBecause?: string
  }
}

/** One program, or all programs that a test needs. */
export type Needed = ProgramName | readonly ProgramName[]

const listed = (needed: Needed): readonly ProgramName[] => (typeof needed === 'string' ? [needed] : needed)

/** A test that needs programs; its body gets the path of the first. Without them it is skipped, and fails in CI. */
export function testWith(needed: Needed, title: string, body: (path: string) => void | Promise<void>): void {
  const [first, ...others] = listed(needed)
  if (first === undefined) throw new Error(`"${title}" needs no program`)
  testUnless(missingPrograms([first, ...others]), title, () => body(programPath(first)))
}

/** A test that cannot run here for the given reason, if there is one. Then it is skipped, and fails in CI. */
export function testUnless(
  reason: string | undefined,
  title: string,
  body: () => void | Promise<void>,
): void {
  if (reason === undefined) test(title, body)
  else if (isCi()) test(title, () => expect.fail(reason))
  else test.skip(title, { meta: { skippedBecause: reason } }, body)
}

/** A group of tests that need programs. Without them all of its tests are skipped, and in CI the group fails. */
export function describeWith(needed: Needed, title: string, body: () => void): void {
  const reason = missingPrograms(listed(needed))
  if (reason === undefined) describe(title, body)
  else if (isCi()) test(title, () => expect.fail(reason))
  // Skipped groups are still collected, so that the reporter can count their tests.
  else describe.skip(title, { meta: { skippedBecause: reason } }, body)
}

function isCi(): boolean {
  return ['true', '1'].includes(process.env['CI'] ?? '')
}
