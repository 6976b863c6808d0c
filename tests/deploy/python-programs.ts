import { spawnSync } from 'node:child_process'
import type { ProgramName } from '@agentic-rest/testing/programs'
import { testWith } from '@agentic-rest/testing/test-with'

/** Runs a program of a Python package; resolves with its exit code and its output. */
export type RunProgram = (args: readonly string[]) => {
  readonly status: number | null
  readonly output: string
}

/** A test that runs a program to its end and reads its output. */
export function testWithPython(program: ProgramName, title: string, body: (run: RunProgram) => void): void {
  testWith(program, title, (path) =>
    body((args) => {
      const { status, stdout, stderr } = spawnSync(path, args, { encoding: 'utf8' })
      return { status, output: stdout + stderr }
    }),
  )
}
