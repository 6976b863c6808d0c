import { spawn } from 'node:child_process'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const manifest = join(import.meta.dirname, '../node_modules/@electric-sql/pglite/package.json')

/** An empty packed database of the installed version: new stores of tests start with a copy. */
export const emptyDatabase = join(
  tmpdir(),
  `agentic-small-database-${JSON.parse(readFileSync(manifest, 'utf8')).version}.tar`,
)

/**
 * Creates the file once per machine, in parallel with the tests: earlier tests create their own database. Vitest calls
 * this before the first test, and the returned function after the last.
 */
export function setup(): (() => void) | undefined {
  if (existsSync(emptyDatabase)) return undefined
  const child = spawn(process.execPath, ['--liftoff-only', import.meta.filename], { stdio: 'ignore' })
  return () => void child.kill()
}

/** Renames the file when it is complete, so that no store starts with a half one. */
async function makeEmptyDatabase(): Promise<void> {
  // Imported here only: the configuration of the tests loads this file too.
  const { PGlite } = await import('@electric-sql/pglite')
  // Short logs, and no templates: no test creates a database in another one. Two thirds of the bytes and files are those.
  const database = await PGlite.create({ initDbStartParams: ['--wal-segsize=1'] })
  await database.exec("UPDATE pg_database SET datistemplate = false WHERE datname LIKE 'template_'")
  for (const name of ['template0', 'template1']) await database.exec(`DROP DATABASE ${name}`)
  await database.exec('CHECKPOINT')
  const packed = await database.dumpDataDir('none')
  const unfinished = `${emptyDatabase}.${process.pid}`
  writeFileSync(unfinished, await packed.bytes())
  renameSync(unfinished, emptyDatabase)
}

if (process.argv[1] === import.meta.filename) {
  await makeEmptyDatabase()
  process.exit(0)
}
