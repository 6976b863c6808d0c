/** Opens the store of a folder and keeps it until it is killed. */
import { createStore } from '../../../src/runtime/sql-store.ts'
import { readSettings, tell } from './settings.ts'

const { folder } = readSettings<{ readonly folder: string }>()
const store = createStore({ folder })
await store.migrate()
await store.query('CREATE TABLE IF NOT EXISTS held (name text)')
await store.query("INSERT INTO held VALUES ('kept')")
tell('open')
setInterval(() => undefined, 1000)
