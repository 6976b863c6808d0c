import { spawn } from 'node:child_process'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const manifest = join(import.meta.dirname, '../node_modules/@electric-sql/pglite/package.json')

/** An empty database of the version that is installed, packed: every store of a test that is made anew begins with it. */
export const emptyDatabase = join(
  tmpdir(),
  `agentic-empty-database-${JSON.parse(readFileSync(manifest, 'utf8')).version}.tar`,
)

/**
 * Has it made once for this machine, beside the tests: those that come before it is there make their own database.
 * Vitest calls this before the first test, and what it gives after the last.
 */
export function setup(): (() => void) | undefined {
  if (existsSync(emptyDatabase)) return undefined
  const child = spawn(process.execPath, [import.meta.filename], { stdio: 'ignore' })
  return () => void child.kill()
}

/** A file gets its name when it is complete: nobody begins with half of one. */
async function makeEmptyDatabase(): Promise<void> {
  // Only here: the configuration of the tests reads this file too.
  const { PGlite } = await import('@electric-sql/pglite')
  const database = await PGlite.create()
  const packed = await database.dumpDataDir('none')
  const unfinished = `${emptyDatabase}.${process.pid}`
  writeFileSync(unfinished, await packed.bytes())
  renameSync(unfinished, emptyDatabase)
}

if (process.argv[1] === import.meta.filename) {
  await makeEmptyDatabase()
  process.exit(0)
}
