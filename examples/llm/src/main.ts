import { createWriteStream } from 'node:fs'
import { createServer } from 'node:http'
import { httpAudit, jsonLinesAudit, teeAudit } from '@agentic-rest/service'
import { getRequestListener } from '@hono/node-server'
import { createLlmApp } from './llm-app.ts'
import { createLocalModel } from './local-model.ts'
import { createRemoteModel } from './remote-model.ts'

const { PORT, AUDIT_FILE, RECORDS_URL, LLM_BASE_URL, LLM_API_KEY, LLM_MODEL, LLM_FRAME_MS } = process.env

const { app, close } = createLlmApp({
  model:
    LLM_BASE_URL === undefined
      ? createLocalModel({ frameMs: Number(LLM_FRAME_MS ?? 20) })
      : createRemoteModel({ baseUrl: LLM_BASE_URL, apiKey: LLM_API_KEY, model: LLM_MODEL }),
  audit: teeAudit(
    AUDIT_FILE === undefined ? undefined : jsonLinesAudit(createWriteStream(AUDIT_FILE, { flags: 'a' })),
    // The console shows them.
    RECORDS_URL === undefined ? undefined : httpAudit({ url: RECORDS_URL }),
  ),
})
const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }))
server.listen(Number(PORT ?? 8084), '127.0.0.1')

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop)

async function stop(): Promise<void> {
  server.close()
  await close()
  server.closeAllConnections()
}
