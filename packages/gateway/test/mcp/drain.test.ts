import { text } from 'node:stream/consumers'
import { type Outcome, writeOutcome } from '@agentic-rest/profile'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, test } from 'vitest'
import { askingConfig, call, messagesOf, openSession, send } from './asking-service.ts'

const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

function sendModern(url: string, method: string, params: Record<string, unknown>) {
  const { name } = params
  const headers = {
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': method,
    ...(typeof name === 'string' && { 'Mcp-Name': name }),
  }
  return send(url, { body: { id: 1, method, params: { ...params, _meta } }, headers })
}

test('a call that began before a drain is served to its end', async () => {
  const polled = Promise.withResolvers<void>()
  const finished = Promise.withResolvers<void>()
  const upstream = await startUpstream(async ({ url, headers }, response) => {
    const trace = {
      correlationId: String(headers['x-correlation-id']),
      requestId: String(headers['x-request-id']),
    }
    const status = '/operations/op-1/status'
    let outcome: Outcome = { type: 'accepted', operationId: 'op-1', statusUrl: status }
    if (url === status) {
      polled.resolve()
      await finished.promise
      const body = { operationId: 'op-1', status: 'working', updatedAt: '2026-11-16T00:00:00Z' }
      const isFirst = upstream.requests.filter((each) => each.url === status).length === 1
      outcome = {
        type: 'success',
        body: isFirst ? body : { ...body, status: 'completed', result: { done: 1 } },
      }
    }
    const written = writeOutcome(outcome, trace)
    response.writeHead(written.status, { ...written.headers }).end(written.body)
  })
  const target = upstream.url
  const { url, gateway } = await startGateway({
    mcp: {},
    routes: [
      { id: 'work', method: 'POST', path: '/work', target, mcp: { input: 'none', description: 'Works.' } },
      { id: 'status', method: 'GET', path: '/operations/{operationId}/status', target },
    ],
  })
  const answer = sendModern(url, 'tools/call', { name: 'work', arguments: {} })
  await polled.promise
  const drained = gateway.drain()
  // The second look at the operation is a request during the drain.
  await expect.poll(async () => fetch(`${url}/healthz`).catch(() => 'closed')).toBe('closed')
  finished.resolve()
  expect(JSON.parse(await text(await answer))).toMatchObject({ result: { structuredContent: { done: 1 } } })
  await drained
})

test('a drain does not wait for clients that only listen', async () => {
  const { config } = await askingConfig({}, { drain_seconds: 30 })
  const { url, gateway } = await startGateway(config)
  const listening = await sendModern(url, 'subscriptions/listen', {
    notifications: { toolsListChanged: true },
  })
  const messages = messagesOf(listening)
  await messages.next()
  await gateway.drain()
  expect((await messages.next()).value).toMatchObject({ id: 1, result: { resultType: 'complete' } })
})

test('a call that waits for a person ends with a drain, by an answer', async () => {
  const { config } = await askingConfig({}, { drain_seconds: 1 })
  const { url, gateway } = await startGateway(config)
  const headers = await openSession(url)
  const messages = messagesOf(await send(url, { body: { id: 1, ...call }, headers }))
  await messages.next()
  await gateway.drain()
  expect((await messages.next()).value).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32603, message: 'Cancelled' },
  })
})
