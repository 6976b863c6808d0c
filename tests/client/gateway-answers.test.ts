import { createClient, StreamError } from '@agentic-rest/client'
import { startEventUpstream } from '@agentic-rest/testing/event-upstream'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { startIssuer } from '@agentic-rest/testing/start-issuer'
import { answerJson, startTcpUpstream, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, onTestFinished, test } from 'vitest'

const streamRequest = { method: 'POST', path: '/llm/completions', body: {} }

async function startStreams(gateway: Record<string, unknown> = {}) {
  const upstream = await startEventUpstream()
  const started = await startGateway({
    gateway,
    routes: [{ id: 'llm', method: 'POST', path: '/llm/completions', target: upstream.url, mode: 'sse' }],
  })
  const client = createClient({ baseUrl: started.url, tenantId: 'acme' })
  return { ...started, upstream, client }
}

/** The error of the next step of an iterator. */
async function nextError(events: AsyncIterator<unknown>): Promise<StreamError> {
  const error = await events.next().then(
    (step) => expect.fail(`no error but ${JSON.stringify(step)}`),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(StreamError)
  return error as StreamError
}

test('one stream more than a tenant may have is refused with the seconds to wait', async () => {
  const { upstream, client } = await startStreams({ llm: { max_sse_connections_per_tenant: 1 } })
  const first = client.stream(streamRequest)
  const step = first.next()
  const opened = await upstream.opened()
  opened.response.write('data: one\n\n')
  expect(await step).toEqual({ done: false, value: { event: 'message', data: 'one', id: '' } })
  const error = await nextError(client.stream(streamRequest))
  expect(error.code).toBe('STREAM_REFUSED')
  expect(error.outcome).toEqual({
    type: 'error',
    condition: 'limit_exceeded',
    code: 'LIMIT_EXCEEDED',
    message:
      'The tenant asks for more than it may have at the moment: the limit max_sse_connections_per_tenant is reached.',
    retryAfter: 60,
  })
  expect(error.outcome.answer).toMatchObject({ status: 429, profile: 'v0.3' })
  await first.return()
  await opened.closed
})

test('a stream that the gateway ends because it shuts down is thrown with that outcome', async () => {
  const { gateway, upstream, client } = await startStreams({ drain_seconds: 0 })
  const events = client.stream({ ...streamRequest, correlationId: 'stream-9' })
  const step = events.next()
  ;(await upstream.opened()).response.write('data: one\n\ndata: half of an eve')
  expect(await step).toEqual({ done: false, value: { event: 'message', data: 'one', id: '' } })
  const drained = gateway.drain()
  // The gateway must end the service's unfinished event before it adds its own.
  expect(await events.next()).toEqual({
    done: false,
    value: { event: 'message', data: 'half of an eve', id: '' },
  })
  const error = await nextError(events)
  await drained
  expect(error.code).toBe('STREAM_FAILED')
  expect(error.outcome).toEqual({
    type: 'error',
    code: 'SHUTTING_DOWN',
    message: 'The gateway is shutting down.',
  })
  expect(error.outcome.answer.trace.correlationId).toBe('stream-9')
})

test('the ids of an answer are those of the audit record', async () => {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: { stock: 7 } }))
  const { url, audit } = await startGateway({
    routes: [{ id: 'stock', method: 'GET', path: '/inventory/{productId}/stock', target: upstream.url }],
  })
  const client = createClient({ baseUrl: url, tenantId: 'acme' })
  const outcome = await client.request({
    method: 'GET',
    path: '/inventory/{productId}/stock',
    params: { productId: 'p 1' },
  })
  expect(outcome).toEqual({ type: 'success', body: { stock: 7 } })
  const { correlationId, requestId } = outcome.answer.trace
  expect(audit).toMatchObject([
    { operation: 'stock', tenant_id: 'acme', correlation_id: correlationId, request_id: requestId },
  ])
})

test('an expired token is replaced once, and the request goes through', async () => {
  const issuer = await startIssuer('RS256')
  onTestFinished(() => issuer.close())
  const upstream = await startUpstream((_request, response) =>
    answerJson(response, { status: 201, body: { id: 'opt-1' } }),
  )
  const { url } = await startGateway({
    plugins: {
      'token-validator': {
        issuers: [
          { issuer: issuer.url, jwks_uri: issuer.jwksUri, audience: ['agentic'], algorithms: ['RS256'] },
        ],
      },
    },
    routes: [{ id: 'make', method: 'POST', path: '/optimizations', target: upstream.url }],
  })
  const claims = { sub: 'alice', aud: 'agentic', tenant_id: 'acme' }
  const expired = await issuer.token({ claims: { ...claims, exp: 1 } })
  const valid = await issuer.token({ claims })
  const request = { method: 'POST', path: '/optimizations', body: {} }
  const stubborn = createClient({ baseUrl: url, token: expired })
  expect(await stubborn.request(request)).toMatchObject({
    type: 'error',
    condition: 'unauthenticated',
    code: 'TOKEN_EXPIRED',
  })
  const refreshing = createClient({ baseUrl: url, token: (rejected) => (rejected ? valid : expired) })
  expect(await refreshing.request(request)).toEqual({ type: 'created', body: { id: 'opt-1' } })
  expect(upstream.requests).toHaveLength(1)
})

test('a failure behind the gateway is an outcome, not an error', async () => {
  const dead = await startTcpUpstream((socket) => socket.destroy())
  const slow = await startUpstream(() => undefined)
  const { url } = await startGateway({
    routes: [
      { id: 'dead', method: 'POST', path: '/dead', target: dead.url },
      { id: 'slow', method: 'POST', path: '/slow', target: slow.url, executionTimeoutSeconds: 1 },
    ],
  })
  const client = createClient({ baseUrl: url, tenantId: 'acme' })
  expect(await client.request({ method: 'POST', path: '/dead' })).toMatchObject({
    type: 'failed_dependency',
    code: 'UPSTREAM_UNAVAILABLE',
  })
  expect(await client.request({ method: 'POST', path: '/slow' })).toMatchObject({
    type: 'error',
    code: 'EXECUTION_TIMEOUT',
  })
  expect(await client.request({ method: 'GET', path: '/nowhere' })).toMatchObject({
    type: 'error',
    condition: 'not_found',
    code: 'ROUTE_NOT_FOUND',
  })
  const encoded = await client.request({ method: 'POST', path: '/{name}', params: { name: 'a/b' } })
  expect(encoded).toMatchObject({ type: 'validation_failed', errors: [{ field: 'path' }] })
})
