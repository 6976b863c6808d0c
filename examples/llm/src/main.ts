import { auditFromEnvironment, serve, trustFromEnvironment } from '@agentic-rest/service/node'
import { createLlmService } from './llm-service.ts'
import { createLocalModel } from './local-model.ts'
import { createRemoteModel } from './remote-model.ts'

const { PORT = 8084, LLM_BASE_URL, LLM_API_KEY, LLM_MODEL, LLM_FRAME_MS } = process.env

const audit = auditFromEnvironment()
const llm = createLlmService({
  ...trustFromEnvironment(),
  model:
    LLM_BASE_URL === undefined
      ? createLocalModel({ frameMs: Number(LLM_FRAME_MS ?? 20) })
      : createRemoteModel({ baseUrl: LLM_BASE_URL, apiKey: LLM_API_KEY, model: LLM_MODEL }),
  audit,
})
await serve({ fetch: llm.fetch, port: PORT, closes: [llm, audit] })
