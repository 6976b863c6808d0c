import {
  auditFromEnvironment,
  serve,
  storeFromEnvironment,
  trustFromEnvironment,
} from '@agentic-rest/service/node'
import { createInventory } from './inventory.ts'
import { prepareTables } from './tables.ts'

const { PORT = 8083, IDENTITY_URL = 'http://127.0.0.1:8085' } = process.env

const [store, audit] = [storeFromEnvironment(), auditFromEnvironment()]
await prepareTables(store)
const inventory = createInventory({
  ...trustFromEnvironment(),
  store,
  audit,
  agentIssuer: `${IDENTITY_URL}/service-accounts`,
})
await serve({ fetch: inventory.fetch, port: PORT, closes: [inventory, store, audit] })
