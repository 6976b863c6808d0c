import type { ServerResponse } from 'node:http'
import { queryObjects } from 'node:v8'
import { expect, onTestFinished, test } from 'vitest'
import { Exchange } from '../src/exchange.ts'
import { eventually } from './harness/metric-value.ts'
import { openConnection } from './harness/raw-connection.ts'
import { startGateway } from './harness/start-gateway.ts'
import { answerJson, startUpstream } from './harness/start-upstream.ts'

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
  const before = liveExchanges()
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => openConnection(port)))
  onTestFinished(() => {
    for (const { socket } of clients) socket.destroy()
  })
  const statuses = clients.map(async (client) => {
    client.send(REQUEST)
    return (await client.response()).status
  })
  expect(await Promise.all(statuses)).toEqual(Array(CONNECTIONS).fill(200))
  const kept = await eventually(
    () => liveExchanges() - before,
    (count) => count <= 0,
  )
  expect(kept).toBeLessThanOrEqual(0)
  const upstreamConnections = await new Promise((resolve) =>
    upstream.server.getConnections((_error, count) => resolve(count)),
  )
  expect(upstreamConnections).toBe(CONNECTIONS)
  expect(clients.filter(({ socket }) => socket.readable)).toHaveLength(CONNECTIONS)
})
