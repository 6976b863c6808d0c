import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

const room = join(import.meta.dirname, '..')

// All inputs of the build: the page, the bundled packages of this repository, and the versions of other packages.
const sources = [
  'page/**/*.{ts,tsx,css,html,svg}',
  'build.ts',
  'package.json',
  '../client/src/**/*.ts',
  '../profile/src/**/*.ts',
]

const KEPT_MS = 3_600_000

/** The folder of the static files. Inside this repository they are built when the sources have changed. */
export const consoleFolder: string = builtFolder()

// The name is the hash of the sources, so a folder is never stale, and several processes may build it at once.
function builtFolder(): string {
  const folder = join(room, '.agentic', `page-${hashSources()}`)
  if (existsSync(folder)) return folder
  build(folder)
  removeOld(dirname(folder))
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

// A separate process, so that a gateway never loads Vite.
function build(folder: string): void {
  const args = ['--conditions=agentic-source', join(room, 'build.ts'), folder]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: room, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the console could not be built:\n${stdout}${stderr}`)
}

// A gateway reads the files at its start, so an hour is long enough.
function removeOld(folder: string): void {
  for (const old of globSync('page-*', { cwd: folder }).map((name) => join(folder, name))) {
    const { mtimeMs = Date.now() } = statSync(old, { throwIfNoEntry: false }) ?? {}
    if (Date.now() - mtimeMs > KEPT_MS) rmSync(old, { recursive: true, force: true })
  }
}
