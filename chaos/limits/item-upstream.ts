import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { headerKeys, outcomes } from '@agentic-rest/profile'

/** A service that counts the requests of each tenant. */
export interface ItemUpstream {
  readonly url: string
  passed(tenant: string): number
  close(): void
}

/** Starts the service. */
export async function startItemUpstream(): Promise<ItemUpstream> {
  const counts = new Map<string, number>()
  const server = createServer((request, response) => {
    const tenant = String(request.headers[headerKeys.tenantId])
    counts.set(tenant, (counts.get(tenant) ?? 0) + 1)
    const { status, mediaType } = outcomes.success
    response.writeHead(status, { 'content-type': mediaType }).end('{}')
  })
  server.listen({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed: (tenant) => counts.get(tenant) ?? 0,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
