import { createWriteStream } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { createStore, httpAudit, jsonLinesAudit, type StoreOptions, teeAudit } from '@agentic-rest/service'
import { getRequestListener } from '@hono/node-server'
import { createCampaignsApp } from './campaigns-app.ts'
import { createDescriptionWriter } from './optimizations/describe-by-model.ts'
import { prepareTables } from './tables.ts'

const { PORT, AUDIT_FILE, RECORDS_URL, DATA_FOLDER, DATABASE_URL, LLM_BASE_URL, LLM_API_KEY, LLM_MODEL } =
  process.env

const store = createStore(placeOfData())
await prepareTables(store)
const { app, close } = createCampaignsApp({
  store,
  writer:
    LLM_BASE_URL === undefined
      ? undefined
      : createDescriptionWriter({ baseUrl: LLM_BASE_URL, apiKey: LLM_API_KEY, model: LLM_MODEL }),
  audit: teeAudit(
    AUDIT_FILE === undefined ? undefined : jsonLinesAudit(createWriteStream(AUDIT_FILE, { flags: 'a' })),
    // The console shows them.
    RECORDS_URL === undefined ? undefined : httpAudit({ url: RECORDS_URL }),
  ),
})
const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }))
server.listen(Number(PORT ?? 8081), '127.0.0.1')

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop)

async function stop(): Promise<void> {
  server.close()
  await close()
  await store.close()
  server.closeAllConnections()
}

function placeOfData(): StoreOptions {
  if (DATABASE_URL !== undefined) return { url: DATABASE_URL }
  return DATA_FOLDER === undefined ? { memory: true } : { folder: join(DATA_FOLDER, 'database') }
}
