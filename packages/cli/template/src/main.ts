import { createService } from '@agentic-rest/service'
import { auditFromEnvironment, serve, storeFromEnvironment } from '@agentic-rest/service/node'
import { operations } from './operations.ts'

// DATABASE_URL or DATA_FOLDER name a place for keys, approvals and background work. "agentic dev" sets them.
const [store, audit] = [storeFromEnvironment(), auditFromEnvironment()]
const service = createService({ title: 'my-agent', operations, store, audit })

// Listens on loopback: only the gateway may reach the service, which trusts its headers.
await serve({
  fetch: service.fetch,
  port: process.env['SERVICE_PORT'] ?? 8081,
  closes: [service, store, audit],
})
