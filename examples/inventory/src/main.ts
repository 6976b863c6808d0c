import { auditFromEnvironment, serve, storeFromEnvironment } from '@agentic-rest/service/node'
import { createInventory } from './inventory.ts'
import { prepareTables } from './tables.ts'

const { PORT = 8083 } = process.env

const [store, audit] = [storeFromEnvironment(), auditFromEnvironment()]
await prepareTables(store)
const inventory = createInventory({ store, audit })
await serve({ fetch: inventory.fetch, port: PORT, closes: [inventory, store, audit] })
