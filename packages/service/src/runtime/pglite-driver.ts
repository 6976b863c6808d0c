import { existsSync, openAsBlob } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseOwnJson } from '@agentic-rest/profile'
import { PGlite, types } from '@electric-sql/pglite'
import { type Driver, StoreLockedError, toStoreError } from './store.ts'

/** The database reads JSON columns as the rest of the service does: the driver's own parser mixes names up. */
const parsers = { [types.JSON]: parseOwnJson, [types.JSONB]: parseOwnJson }

/** Opens a database in memory. */
export async function openMemory(): Promise<Driver> {
  return createDriver(await PGlite.create({ ...(await firstContent()), parsers }))
}

/**
 * The content of a new database: the dump of an empty one, if AGENTIC_EMPTY_DATABASE names such a file. Creating an
 * empty database takes three times the processor time of loading it.
 */
async function firstContent(): Promise<{ loadDataDir?: Blob }> {
  const file = process.env['AGENTIC_EMPTY_DATABASE'] ?? ''
  return existsSync(file) ? { loadDataDir: await openAsBlob(file) } : {}
}

/** Opens the database of a folder. Only one process can open it at a time. */
export async function openFolder(path: string): Promise<Driver> {
  const folder = resolve(path)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const lock = lockFolder(folder)
  try {
    const driver = createDriver(await openData(folder))
    return {
      ...driver,
      async close() {
        await driver.close()
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

async function openData(folder: string): Promise<PGlite> {
  const data = join(folder, 'data')
  if (!existsSync(data)) await initialise(folder, data)
  return PGlite.create(data, { parsers })
}

/** Creates the database under another name and renames it when complete, so that a killed process leaves no partial one. */
async function initialise(folder: string, data: string): Promise<void> {
  const unfinished = join(folder, 'unfinished')
  await rm(unfinished, { recursive: true, force: true })
  const database = await PGlite.create(unfinished, await firstContent())
  await database.close()
  await rename(unfinished, data)
}

interface Queryable {
  query(text: string, parameters: unknown[]): Promise<{ rows: object[] }>
}

/** PGlite runs one transaction or query at a time, in order of arrival. */
function createDriver(database: PGlite): Driver {
  // `RuntimeError` comes from WebAssembly: the embedded database has crashed.
  const isLost = (error: unknown) =>
    database.closed || (error instanceof Error && error.name === 'RuntimeError')
  const translated = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw toStoreError(error, isLost)
    }
  }
  const queryOn =
    (on: Queryable): Driver['query'] =>
    (text, parameters) =>
      translated(async () => (await on.query(text, [...parameters])).rows)
  return {
    query: queryOn(database),
    transaction: (work) => translated(() => database.transaction((inner) => work(queryOn(inner)))),
    close: () => database.close(),
  }
}

// A process that was just killed may still hold its lock for a moment. A live process holds it longer than this.
const PATIENCE_MS = 1000

export interface FolderLock {
  release(): void
}

/**
 * Locks a folder. Node has no file locks, and a file with a process id is wrong after a crash or when ids are reused.
 * SQLite holds a lock of the kernel, which ends with the process in every case.
 */
export function lockFolder(folder: string): FolderLock {
  const holder = new DatabaseSync(join(folder, 'lock'), { timeout: PATIENCE_MS })
  try {
    holder.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    holder.close()
    throw new StoreLockedError(`the folder ${folder} is in use by another process or store`, { cause })
  }
  return { release: () => holder.close() }
}
