import {
  auditFromEnvironment,
  serve,
  storeFromEnvironment,
  trustFromEnvironment,
} from '@agentic-rest/service/node'
import { createCampaignsApp } from './campaigns-app.ts'
import { createDescriptionWriter } from './optimizations/describe-by-model.ts'
import { prepareTables } from './tables.ts'

const { PORT = 8081, HOST = '127.0.0.1', HOSTS = '', LLM_BASE_URL, LLM_API_KEY, LLM_MODEL } = process.env

const [store, audit] = [storeFromEnvironment(), auditFromEnvironment()]
await prepareTables(store)
const campaigns = createCampaignsApp({
  ...trustFromEnvironment(),
  store,
  audit,
  writer:
    LLM_BASE_URL === undefined
      ? undefined
      : createDescriptionWriter({ baseUrl: LLM_BASE_URL, apiKey: LLM_API_KEY, model: LLM_MODEL }),
})
await serve({
  fetch: campaigns.app.fetch,
  port: PORT,
  host: HOST,
  // Names in a network of containers, separated by commas.
  hosts: HOSTS.split(',').filter((name) => name !== ''),
  closes: [campaigns, store, audit],
})
