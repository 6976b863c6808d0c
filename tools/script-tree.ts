import { spawnSync } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryTree } from './temporary-tree.ts'

const repository = join(import.meta.dirname, '..')

/** A small repository with the scripts, tools and packages of this one and its own files. */
export function scriptTree(files: Readonly<Record<string, string>>): string {
  const root = temporaryTree({
    ...files,
    'package.json': readFileSync(join(repository, 'package.json'), 'utf8'),
  })
  for (const name of ['tools', 'node_modules']) symlinkSync(join(repository, name), join(root, name))
  return root
}

/** The exit code and output of a script. */
export interface ScriptEnd {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a script of package.json. */
export function runScript(root: string, name: string, ...args: readonly string[]): ScriptEnd {
  // Without --silent, npm adds its own lines to the output.
  const options = ['run', '--silent', name, ...(args.length === 0 ? [] : ['--', ...args])]
  const { status, stdout, stderr } = spawnSync('npm', options, { cwd: root, encoding: 'utf8' })
  return { status, stdout, stderr }
}
