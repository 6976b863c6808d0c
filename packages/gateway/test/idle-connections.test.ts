import type { ServerResponse } from 'node:http'
import { queryObjects } from 'node:v8'
import { eventually } from '@agentic-rest/testing/eventually'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, onTestFinished, test } from 'vitest'
import { Exchange } from '../src/exchange.ts'
import { collectGarbage } from './harness/collect-garbage.ts'
import { openConnection } from './harness/raw-connection.ts'

const CONNECTIONS = 20
const REQUEST = 'POST /r HTTP/1.1\r\nhost: x\r\nx-tenant-id: acme\r\ncontent-length: 2\r\n\r\n{}'

/** The exchanges in memory after a collection. */
function liveExchanges(): number {
  return queryObjects(Exchange, { format: 'count' })
}

test('connections that wait for their next request keep nothing of the last one', async () => {
  const waiting: ServerResponse[] = []
  // The answers leave together, so that each request has its own connection on both sides.
  const upstream = await startUpstream((_request, response) => {
    waiting.push(response)
    if (waiting.length === CONNECTIONS) for (const each of waiting) answerJson(each, { body: {} })
  })
  upstream.server.keepAliveTimeout = 600_000
  const { port } = await startGateway({
    routes: [{ id: 'r', method: 'POST', path: '/r', target: upstream.url }],
  })
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => openConnection(port)))
  onTestFinished(() => {
    for (const { socket } of clients) socket.destroy()
  })
  const statuses = clients.map(async (client) => {
    client.send(REQUEST)
    return (await client.response()).status
  })
  expect(await Promise.all(statuses)).toEqual(Array(CONNECTIONS).fill(200))
  expect(await eventually(liveExchanges, (count) => count === 0)).toBe(0)
  const upstreamConnections = await new Promise((resolve) =>
    upstream.server.getConnections((_error, count) => resolve(count)),
  )
  expect(upstreamConnections).toBe(CONNECTIONS)
  expect(clients.filter(({ socket }) => socket.readable)).toHaveLength(CONNECTIONS)
})

test('a tenant without requests keeps nothing of the heads that named it', async () => {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const { port } = await startGateway({
    gateway: { limits: { max_header_bytes: 32_768 } },
    routes: [{ id: 'r', method: 'GET', path: '/r', target: upstream.url }],
  })
  const client = await openConnection(port)
  onTestFinished(() => void client.socket.destroy())
  const heapAfter = async (tenants: readonly string[]) => {
    for (const tenant of tenants) {
      client.send(
        `GET /r HTTP/1.1\r\nhost: x\r\nx-tenant-id: ${tenant}\r\nx-long: ${'x'.repeat(16_000)}\r\n\r\n`,
      )
      expect((await client.response()).status).toBe(200)
    }
    upstream.requests.length = 0
    collectGarbage()
    return process.memoryUsage().heapUsed
  }
  const name = (n: number) => `tenant-with-a-long-name-${n}`
  const before = await heapAfter(Array.from({ length: 100 }, (_, n) => name(n)))
  const after = await heapAfter(Array.from({ length: 500 }, (_, n) => name(1000 + n)))
  // Their heads alone would be 8 MB.
  expect(after - before).toBeLessThan(4 * 1_048_576)
})
