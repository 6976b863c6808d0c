import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** Runs a script of the repository to its end, with its output on the terminal; resolves with its exit code. */
export async function npmRunHere(script: string, args: readonly string[]): Promise<number> {
  const child = spawn('npm', ['run', script, '--', ...args], { cwd: root, stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  return code
}
