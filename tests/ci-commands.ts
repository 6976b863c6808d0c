import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { type Ended, repositoryRoot, run } from '../tools/packed-packages.ts'

/** The result of CI and its npm commands, in order. */
export interface CiRun {
  readonly ended: Ended
  readonly commands: readonly string[]
}

// Records its arguments and fails for the command that must fail.
const fakeNpm = '#!/bin/sh\necho "npm $*" >> "$NPM_LOG"\n[ "npm $*" != "$NPM_FAILS" ]\n'

/** Runs the script of CI with a recording npm: its commands are the commands of CI. */
export function runCi(failing = ''): CiRun {
  const folder = mkdtempSync(join(tmpdir(), 'agentic-ci-'))
  const log = join(folder, 'log')
  writeFileSync(join(folder, 'npm'), fakeNpm)
  chmodSync(join(folder, 'npm'), 0o755)
  const settings = {
    PATH: `${folder}${delimiter}${process.env['PATH']}`,
    NPM_LOG: log,
    NPM_FAILS: failing,
  }
  const assignments = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
  const ended = run('env', [...assignments, join(repositoryRoot, '.ci/run')], folder)
  const commands = existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : []
  rmSync(folder, { recursive: true })
  return { ended, commands }
}
