import { createWriteStream } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import {
  createStore,
  httpAudit,
  jsonLinesAudit,
  type StoreOptions,
  serviceAccount,
  teeAudit,
} from '@agentic-rest/service'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { createRecommendations } from './recommendations.ts'
import { prepareTables } from './tables.ts'

const { PORT, AUDIT_FILE, RECORDS_URL, DATA_FOLDER, DATABASE_URL, INVENTORY_GATEWAY_URL } = process.env
const { SERVICE_ACCOUNT_TOKEN_URL, SERVICE_ACCOUNT_ID, SERVICE_ACCOUNT_SECRET } = process.env

const store = createStore(placeOfData())
await prepareTables(store)
const recommendations = createRecommendations({
  store,
  inventoryUrl: INVENTORY_GATEWAY_URL ?? 'http://127.0.0.1:8180',
  identity: serviceAccount({
    tokenUrl: SERVICE_ACCOUNT_TOKEN_URL ?? 'http://127.0.0.1:8085/service-accounts/token',
    clientId: SERVICE_ACCOUNT_ID ?? 'recommendations',
    clientSecret: SERVICE_ACCOUNT_SECRET ?? '',
  }),
  audit: teeAudit(
    AUDIT_FILE === undefined ? undefined : jsonLinesAudit(createWriteStream(AUDIT_FILE, { flags: 'a' })),
    // The console shows them.
    RECORDS_URL === undefined ? undefined : httpAudit({ url: RECORDS_URL }),
  ),
})
const app = new Hono()
app.get('/healthz', (context) => context.text('ok\n'))
app.all('*', (context) => recommendations.fetch(context.req.raw))
const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }))
server.listen(Number(PORT ?? 8082), '127.0.0.1')

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop)

async function stop(): Promise<void> {
  server.close()
  await recommendations.close()
  await store.close()
  server.closeAllConnections()
}

function placeOfData(): StoreOptions {
  if (DATABASE_URL !== undefined) return { url: DATABASE_URL }
  return DATA_FOLDER === undefined ? { memory: true } : { folder: join(DATA_FOLDER, 'database') }
}
