import { serviceAccount } from '@agentic-rest/service'
import {
  auditFromEnvironment,
  serve,
  storeFromEnvironment,
  trustFromEnvironment,
} from '@agentic-rest/service/node'
import { createRecommendations } from './recommendations.ts'
import { prepareTables } from './tables.ts'

const { PORT = 8082, INVENTORY_GATEWAY_URL } = process.env
const { SERVICE_ACCOUNT_TOKEN_URL, SERVICE_ACCOUNT_ID, SERVICE_ACCOUNT_SECRET } = process.env

const [store, audit] = [storeFromEnvironment(), auditFromEnvironment()]
await prepareTables(store)
const recommendations = createRecommendations({
  ...trustFromEnvironment(),
  store,
  audit,
  inventoryUrl: INVENTORY_GATEWAY_URL ?? 'http://127.0.0.1:8180',
  identity: serviceAccount({
    tokenUrl: SERVICE_ACCOUNT_TOKEN_URL ?? 'http://127.0.0.1:8085/service-accounts/token',
    clientId: SERVICE_ACCOUNT_ID ?? 'recommendations',
    clientSecret: SERVICE_ACCOUNT_SECRET ?? '',
  }),
})
await serve({ fetch: recommendations.fetch, port: PORT, closes: [recommendations, store, audit] })
