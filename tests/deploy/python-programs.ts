import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ensurePythonEnvironment } from '../python-environment.ts'

/** Runs a program of a Python package; resolves with its exit code and its output. */
export type RunProgram = (args: readonly string[]) => {
  readonly status: number | null
  readonly output: string
}

type Program = 'check-jsonschema' | 'hadolint' | 'kubernetes-validate'

/**
 * A test that needs a program from PyPI. Without it the test is skipped by name; in CI it fails. Each program has an
 * environment of its own: test files that run at once would install the same one twice.
 */
export function testWithPython(program: Program, title: string, body: (run: RunProgram) => void): void {
  const found = ensurePythonEnvironment(program, join(import.meta.dirname, `${program}-requirements.txt`))
  if ('folder' in found) {
    test(title, () =>
      body((args) => {
        const { status, stdout, stderr } = spawnSync(join(found.folder, 'bin', program), args, {
          encoding: 'utf8',
        })
        return { status, output: stdout + stderr }
      }),
    )
    return
  }
  if (['true', '1'].includes(process.env['CI'] ?? '')) {
    test(title, () => expect.fail(found.missing))
    return
  }
  // The reporter lists skipped tests only if others fail.
  process.stderr.write(`skipped: ${title} (${found.missing})\n`)
  test.skip(`${title} (${found.missing})`, () => undefined)
}
