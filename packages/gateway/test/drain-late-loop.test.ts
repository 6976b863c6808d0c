import { setImmediate as checkPhase } from 'node:timers/promises'
import { startEventUpstream } from '@agentic-rest/testing/event-upstream'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { describe, expect, it } from 'vitest'
import { parseResponse } from './harness/raw-client.ts'
import { startThreadedClients } from './harness/threaded-clients.ts'
import { untilRefused } from './harness/until-refused.ts'

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: gateway\r\nX-Tenant-ID: acme\r\n\r\n`
/** Longer than the drain waits for a quiet connection. Behind a late check phase, timers come before sockets. */
const LATE_MS = 700

async function start(gateway: Readonly<Record<string, number>> = {}) {
  const events = await startEventUpstream()
  const items = await startUpstream((_request, response) => answerJson(response, { body: { ok: true } }))
  const started = await startGateway({
    gateway,
    routes: [
      { id: 'llm', method: 'GET', path: '/llm', target: events.url, mode: 'sse' },
      { id: 'item', method: 'GET', path: '/item', target: items.url },
    ],
  })
  return { ...started, events }
}

/** A connection whose stream has ended in the drain: its head promised to keep the connection. */
async function startPromised(config?: Readonly<Record<string, number>>) {
  const { gateway, port, events } = await start(config)
  const clients = await startThreadedClients(port)
  await clients.connect()
  clients.send(get('/llm'))
  const { response } = await events.opened()
  response.write('data: one\n\n')
  await expect.poll(() => clients.received[0]).toContain('data: one')
  return { gateway, port, clients, response }
}

/** The answer behind the end of a stream. */
const answerBehind = (received = '') => parseResponse(received.slice(received.indexOf('\r\n0\r\n\r\n') + 7))

describe('draining with a late event loop', () => {
  it('serves the request on a promised connection that came while the loop was late', async () => {
    const { gateway, port, clients, response } = await startPromised()
    const drained = gateway.drain()
    await untilRefused(port)
    response.end('data: last\n\n')
    await expect.poll(() => clients.received[0]).toMatch(/data: last\n\n\r\n0\r\n\r\n$/)
    clients.send(get('/item'))
    await checkPhase()
    clients.blockUntilSent(2, LATE_MS)
    await drained
    await clients.closed
    expect(answerBehind(clients.received[0])).toMatchObject({ status: 200, body: '{"ok":true}' })
  })

  it('serves the first request of a connection that came while the loop was late', async () => {
    const { gateway, port } = await start()
    const clients = await startThreadedClients(port)
    await clients.connect()
    const drained = gateway.drain()
    await untilRefused(port)
    clients.send(get('/item'))
    await checkPhase()
    clients.blockUntilSent(1, LATE_MS)
    await drained
    await clients.closed
    expect(parseResponse(clients.received[0] ?? '')).toMatchObject({ status: 200, body: '{"ok":true}' })
  })

  it('keeps a promised connection as long as the delay, in which a proxy gives up idle ones', async () => {
    const { gateway, clients, response } = await startPromised({ drain_delay_seconds: 2 })
    let isDrained = false
    const drained = gateway.drain().then(() => (isDrained = true))
    // Wait: the time is the subject: the stream outlasts the delay.
    await new Promise((resolve) => setTimeout(resolve, 2100))
    response.end('data: last\n\n')
    await expect.poll(() => clients.received[0]).toMatch(/data: last\n\n\r\n0\r\n\r\n$/)
    // Wait: the time is the subject: the proxy had no request for it so long.
    await new Promise((resolve) => setTimeout(resolve, 1200))
    expect(isDrained).toBe(false)
    clients.send(get('/item'))
    await clients.closed
    expect(answerBehind(clients.received[0])).toMatchObject({ status: 200, body: '{"ok":true}' })
    await drained
  })
})
