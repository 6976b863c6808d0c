/** Opens an invalid store and prints the loaded database modules. */
import { registerHooks } from 'node:module'
import type { StoreOptions } from '../../../src/runtime/store.ts'
import { readSettings, tell } from './settings.ts'

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'pg' || specifier === '@electric-sql/pglite') tell(`loads ${specifier}`)
    return next(specifier, context)
  },
})

const { createStore } = await import('../../../src/runtime/sql-store.ts')
await createStore(readSettings<StoreOptions>())
  .migrate()
  .catch(() => tell('failed'))
