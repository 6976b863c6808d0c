import { createService, defineOperation, success } from '../../src/index.ts'
import { auditFromEnvironment, serve, storeFromEnvironment } from '../../src/node.ts'

/** A service as a process. It prints its port and each request. */
const greet = defineOperation({
  id: 'greet',
  method: 'POST',
  path: '/greetings/{name}',
  async run({ params }) {
    process.stdout.write('asked\n')
    // Wait: long enough for a signal to come in between.
    if (params.name === 'slow') await new Promise((resolve) => setTimeout(resolve, 300))
    return success({ hello: params.name })
  },
})

const [store, audit] = [storeFromEnvironment(), auditFromEnvironment()]
const service = createService({ operations: [greet], store, audit, defaultTenant: 'acme' })
const broken = { close: async () => Promise.reject(new Error('this one cannot')) }
const { port } = await serve({
  fetch: service.fetch,
  port: process.env['PORT'] ?? 8081,
  closes: [service, ...(process.env['BROKEN'] === undefined ? [] : [broken]), store, audit],
})
process.stdout.write(`listening ${port}\n`)
