import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** The commit that is checked out, in short. */
export function readCommit(): string {
  const root = join(import.meta.dirname, '..')
  try {
    return execFileSync('git', ['-C', root, 'rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  } catch {
    return 'no commit'
  }
}
