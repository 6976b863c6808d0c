import { startEventUpstream } from '@agentic-rest/testing/event-upstream'
import { eventually } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream, traceOf } from '@agentic-rest/testing/start-upstream'
import { openStream } from '@agentic-rest/testing/stream-client'
import { describe, expect, it } from 'vitest'
import { ownTime } from './harness/own-time.ts'

const route = (target: string, more: object = {}) => ({
  id: 'llm',
  method: 'POST',
  path: '/llm/completions',
  target,
  mode: 'sse',
  ...more,
})

const everyPlugin = {
  'tenant-injector': { trust_header: 'everyone', allowed: ['acme', 'globex'] },
  'license-check': { tenants: { acme: { features: ['llm'] } } },
  'prompt-sanitize': { rules: [{ name: 'email', builtin: 'email' }] },
  'otel-audit': { include_request_body: true },
}

describe('a stream', () => {
  it('shows each event at the client before the upstream writes the next, through the whole pipeline', async () => {
    const upstream = await startEventUpstream()
    const { url } = await startGateway({
      plugins: everyPlugin,
      routes: [route(upstream.url, { license: 'llm', conformance: 'enforce', executionTimeoutSeconds: 30 })],
    })
    const client = await openStream({
      url: `${url}/llm/completions`,
      body: '{"prompt":"hi bob@example.test"}',
    })
    const { request, response } = await upstream.opened()
    for (const event of ['data: one\n\n', 'data: two\n\n', 'data: three\n\n']) {
      response.write(event)
      await client.until(event)
    }
    response.end()
    expect(await client.ended).toEqual({ complete: true, text: 'data: one\n\ndata: two\n\ndata: three\n\n' })
    expect(request.body.toString()).toBe('{"prompt":"hi [REDACTED:email]"}')
  })

  it('has its four properties before the first chunk, whatever the upstream says', async () => {
    const upstream = await startEventUpstream({
      'content-type': 'Text/Event-Stream; charset=utf-8',
      'cache-control': 'max-age=60',
      'x-agentic-profile': 'v9',
    })
    const { url } = await startGateway({ routes: [route(upstream.url)] })
    const client = await openStream({ url: `${url}/llm/completions`, headers: { 'x-request-id': 'r-1' } })
    expect(client.text()).toBe('')
    expect(client.response.statusCode).toBe(200)
    expect(client.response.headersDistinct).toMatchObject({
      'content-type': ['text/event-stream'],
      'cache-control': ['no-cache'],
      'x-agentic-profile': ['v0.3'],
      'x-accel-buffering': ['no'],
      'x-request-id': ['r-1'],
    })
  })

  it('asks the upstream without Accept-Encoding', async () => {
    const upstream = await startEventUpstream()
    const { url } = await startGateway({ routes: [route(upstream.url)] })
    await openStream({ url: `${url}/llm/completions`, headers: { 'accept-encoding': 'gzip' } })
    const { request } = await upstream.opened()
    expect(request.headers['accept-encoding']).toBeUndefined()
    expect(request.headers.accept).toBe('text/event-stream')
  })

  it.each(['*/*', 'application/json', 'text/event-stream;q=0', 'text/event-stream-x'])(
    'is not opened for Accept: %s',
    async (accept) => {
      const upstream = await startUpstream((_request, response) =>
        answerJson(response, { body: { text: 'hi' } }),
      )
      const { url, metrics } = await startGateway({
        gateway: { llm: { max_sse_connections_per_tenant: 1 } },
        routes: [route(upstream.url)],
      })
      const responses = await Promise.all(
        [1, 2].map(() =>
          fetch(`${url}/llm/completions`, {
            method: 'POST',
            headers: { accept, 'X-Tenant-ID': 'acme' },
          }),
        ),
      )
      expect(responses.map((response) => response.status)).toEqual([200, 200])
      expect(await responses[0]?.json()).toEqual({ text: 'hi' })
      expect(await metrics()).not.toContain('agentic_gateway_sse_connections_active{')
    },
  )

  it('is not opened on a route of another mode', async () => {
    const upstream = await startEventUpstream()
    const { url, metrics } = await startGateway({ routes: [route(upstream.url, { mode: 'json' })] })
    const client = await openStream({ url: `${url}/llm/completions` })
    expect(client.response.headers['x-accel-buffering']).toBeUndefined()
    expect(await metrics()).not.toContain('agentic_gateway_sse_connections_active{')
  })

  it('passes an answer that is no stream on as an ordinary one, checks included', async () => {
    const upstream = await startUpstream((request, response) =>
      answerJson(response, {
        status: 403,
        type: 'application/vnd.agentic.error+json',
        body: {
          type: 'forbidden',
          code: 'QUOTA',
          message: 'No.',
          trace: request.headers['x-lie'] ? { correlationId: 'x', requestId: 'y' } : traceOf(request),
        },
      }),
    )
    const { url, metrics } = await startGateway({ routes: [route(upstream.url)] })
    const ask = (headers: Record<string, string>) =>
      fetch(`${url}/llm/completions`, {
        method: 'POST',
        headers: { accept: 'text/event-stream', 'X-Tenant-ID': 'acme', ...headers },
      })
    const honest = await ask({})
    expect(honest.status).toBe(403)
    expect(await honest.json()).toMatchObject({ type: 'forbidden', code: 'QUOTA' })
    const lying = await ask({ 'X-Lie': '1' })
    expect(lying.status).toBe(500)
    expect(await lying.json()).toMatchObject({ type: 'error', code: 'TRACE_MISMATCH' })
    const scrape = await metrics()
    expect(metricValue(scrape, 'agentic_gateway_sse_connections_active', { tenant_id: 'acme' })).toBe(0)
  })

  it('aborts the upstream at once when the client leaves, and frees its slot', async () => {
    const upstream = await startEventUpstream()
    const { url, metrics, audit } = await startGateway({ routes: [route(upstream.url)] })
    const client = await openStream({ url: `${url}/llm/completions` })
    const { response, closed } = await upstream.opened()
    response.write('data: one\n\n')
    await client.until('one')
    const took = await ownTime(async () => {
      client.leave()
      await closed
    })
    expect(took).toBeLessThan(500)
    const scrape = await eventually(metrics, (text) => text.includes('error_kind="client_disconnect"'))
    expect(metricValue(scrape, 'agentic_gateway_sse_connections_active', { tenant_id: 'acme' })).toBe(0)
    expect(
      metricValue(scrape, 'agentic_gateway_sse_errors_total', {
        tenant_id: 'acme',
        route_id: 'llm',
        error_kind: 'client_disconnect',
      }),
    ).toBe(1)
    expect(
      metricValue(scrape, 'agentic_requests_total', { outcome: 'client_disconnect', route: 'llm' }),
    ).toBe(1)
    await eventually(
      () => audit.length,
      (length) => length === 1,
    )
  })

  it('ends with a last frame when the upstream dies, also in the middle of an event', async () => {
    const upstream = await startEventUpstream()
    const { url, metrics } = await startGateway({ routes: [route(upstream.url)] })
    const headers = { 'x-correlation-id': 'c-1', 'x-request-id': 'r-1' }
    const client = await openStream({ url: `${url}/llm/completions`, headers })
    const { response } = await upstream.opened()
    response.write('data: whole\n\ndata: hal')
    await client.until('hal')
    response.destroy()
    const { complete, text } = await client.ended
    const body = {
      type: 'failed_dependency',
      code: 'UPSTREAM_UNAVAILABLE',
      message: 'The service behind this operation does not answer.',
      trace: { correlationId: 'c-1', requestId: 'r-1' },
    }
    expect(complete).toBe(true)
    expect(text).toBe(`data: whole\n\ndata: hal\n\nevent: error\ndata: ${JSON.stringify(body)}\n\n`)
    const scrape = await metrics()
    expect(metricValue(scrape, 'agentic_gateway_sse_errors_total', { error_kind: 'upstream_error' })).toBe(1)
    expect(metricValue(scrape, 'agentic_requests_total', { outcome: 'failed_dependency' })).toBe(1)
  })

  it('is a real response when the upstream fails before its head', async () => {
    const upstream = await startUpstream((_request, response) => response.destroy())
    const { url, metrics } = await startGateway({ routes: [route(upstream.url)] })
    const response = await fetch(`${url}/llm/completions`, {
      method: 'POST',
      headers: { accept: 'text/event-stream', 'X-Tenant-ID': 'acme' },
    })
    expect(response.status).toBe(424)
    expect(response.headers.get('content-type')).toBe('application/vnd.agentic.error+json')
    expect(await response.json()).toMatchObject({ type: 'failed_dependency', code: 'UPSTREAM_UNAVAILABLE' })
    expect(
      metricValue(await metrics(), 'agentic_gateway_sse_errors_total', { error_kind: 'upstream_error' }),
    ).toBe(1)
  })
})
