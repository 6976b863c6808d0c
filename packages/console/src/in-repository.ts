import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const room = join(import.meta.dirname, '..')

// All that the built files follow from: the page, what it bundles of ours, and the versions of what it bundles of others.
const sources = [
  'page/**/*.{ts,tsx,css,html,svg}',
  'build.ts',
  'package.json',
  '../client/src/**/*.ts',
  '../profile/src/**/*.ts',
]

/** As in the published package; inside this repository the files are built when the sources have changed. */
export const consoleFolder: string = builtFolder()

// The name is the hash of the sources: a folder is never stale, and several processes may build it at once.
function builtFolder(): string {
  const folder = join(room, '.agentic', `page-${hashSources()}`)
  if (!existsSync(folder)) build(folder)
  return folder
}

function hashSources(): string {
  const hash = createHash('sha256')
  const files = sources.flatMap((pattern) => globSync(pattern, { cwd: room })).toSorted()
  for (const file of files.filter((path) => !path.includes('.test.'))) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(room, file)))
      .update('\0')
  }
  return hash.digest('hex').slice(0, 16)
}

// A process of its own, so that a gateway never has Vite in it.
function build(folder: string): void {
  const args = ['--conditions=agentic-source', join(room, 'build.ts'), folder]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: room, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the console could not be built:\n${stdout}${stderr}`)
}
