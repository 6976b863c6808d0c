import { spawnSync } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryTree } from './temporary-tree.ts'

const repository = join(import.meta.dirname, '..')

/** What a test that runs scripts may take: each starts npm and Node, on a machine that may be busy. */
export const MAX_SCRIPT_MS = 60_000

/** A small repository that has this one's scripts, tools and packages but files of its own. */
export function scriptTree(files: Readonly<Record<string, string>>): string {
  const root = temporaryTree({
    ...files,
    'package.json': readFileSync(join(repository, 'package.json'), 'utf8'),
  })
  for (const name of ['tools', 'node_modules']) symlinkSync(join(repository, name), join(root, name))
  return root
}

/** How a script ended and what it wrote. */
export interface ScriptEnd {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a script as package.json has it. */
export function runScript(root: string, name: string, ...args: readonly string[]): ScriptEnd {
  // Without --silent npm writes lines of its own around those of the script.
  const options = ['run', '--silent', name, ...(args.length === 0 ? [] : ['--', ...args])]
  const { status, stdout, stderr } = spawnSync('npm', options, { cwd: root, encoding: 'utf8' })
  return { status, stdout, stderr }
}
