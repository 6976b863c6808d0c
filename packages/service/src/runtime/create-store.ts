import { createSqlStore, type Driver } from './sql-store.ts'
import type { Store, StoreOptions } from './store.ts'

/** Makes a store: in memory, in a folder of this machine, or in a PostgreSQL server. It is opened at its first use. */
export function createStore(options: StoreOptions): Store {
  return createSqlStore(() => openDriver(options))
}

/** Who uses PostgreSQL does not load the embedded database, and the other way round. */
async function openDriver(options: StoreOptions): Promise<Driver> {
  if ('url' in options) {
    const { openPostgres } = await import('./postgres-driver.ts')
    return openPostgres(options)
  }
  const { openFolder, openMemory } = await import('./pglite-driver.ts')
  return 'folder' in options ? openFolder(options.folder) : openMemory()
}
