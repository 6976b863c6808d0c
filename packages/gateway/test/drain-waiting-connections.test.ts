import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, test } from 'vitest'
import { parseResponse } from './harness/raw-client.ts'
import { block, startThreadedClients } from './harness/threaded-clients.ts'

const CLIENTS = 20
const REQUEST = 'GET /r HTTP/1.1\r\nHost: gateway\r\nX-Tenant-ID: acme\r\n\r\n'

/** A gateway whose thread has slept while clients connected and sent a request: the kernel completed the handshakes. */
async function startWithWaiting(drainSeconds: number) {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: { ok: true } }))
  const { gateway, port } = await startGateway({
    gateway: { drain_seconds: drainSeconds },
    routes: [{ id: 'r', method: 'GET', path: '/r', target: upstream.url }],
  })
  const clients = await startThreadedClients(port, CLIENTS)
  void clients.connect()
  clients.send(REQUEST)
  clients.blockUntilSent(1)
  return { gateway, clients }
}

const answersOf = (received: readonly string[]) =>
  received.map(parseResponse).map(({ status, body }) => `${status} ${body}`)
const served = Array<string>(CLIENTS).fill('200 {"ok":true}')

test('requests on connections that wait to be taken up when the gateway is told to end are answered', async () => {
  const { gateway, clients } = await startWithWaiting(25)
  const drained = gateway.drain()
  await clients.closed
  expect(answersOf(clients.received)).toEqual(served)
  await drained
})

test('they are answered when the first turn of the drain is later than all its time to accept', async () => {
  const { gateway, clients } = await startWithWaiting(1)
  const drained = gateway.drain()
  setImmediate(() => block(600))
  await clients.closed
  expect(answersOf(clients.received)).toEqual(served)
  await drained
})
