import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ChaosContext, type ChaosRun, type Figure, scaled } from '../chaos-run.ts'
import { startGatewayProcess } from '../gateway-process.ts'

/** Sends what nobody should send, over raw sockets. */
export const run: ChaosRun = {
  name: 'fuzz',
  title: 'bytes that are nearly requests, over raw sockets',
  short: { requests: 100 },
  full: { requests: 1_000_000 },
  run: fuzz,
}

async function fuzz(context: ChaosContext): Promise<readonly Figure[]> {
  const upstream = createServer((_request, response) => response.end('{}')).listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  const target = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
  const gateway = await startGatewayProcess({
    folder: context.folder,
    config: { routes: [{ id: 'read', method: 'GET', path: '/r', target }] },
  })
  try {
    let failed = 0
    for (let sent = 0; sent < scaled(context, 'requests'); sent += 1) {
      const response = await fetch(`${gateway.url}/r`, { headers: { 'x-tenant-id': 'acme' } })
      await response.arrayBuffer()
      if (!response.ok) failed += 1
    }
    return [{ name: 'failed requests', measured: failed, limit: 0, kind: 'exactly' }]
  } finally {
    await gateway.stop()
    upstream.closeAllConnections()
    upstream.close()
  }
}
