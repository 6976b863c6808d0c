import { freePort } from '@agentic-rest/testing/free-port'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, it, onTestFinished } from 'vitest'
import { startCollector } from './collector.ts'

const route = (target: string) => ({
  id: 'create-optimization',
  method: 'POST',
  path: '/campaigns/{campaignId}/optimizations',
  target,
})

const okUpstream = () =>
  startUpstream((_request, response) => answerJson(response, { status: 201, body: { id: 'o-1' } }))

const create = (url: string) =>
  fetch(`${url}/campaigns/c-9/optimizations`, {
    method: 'POST',
    headers: {
      'X-Tenant-ID': 'acme',
      'X-Correlation-ID': '4bf92f35-77b3-4da6-a3ce-929d0e0e4736',
      'X-Request-ID': 'req-7',
      'Content-Type': 'application/json',
    },
    body: '{"goal":"ctr"}',
  })

it('the span of the gateway is the parent that the upstream was told', async () => {
  const collector = await startCollector()
  onTestFinished(() => collector.kill())
  const upstream = await okUpstream()
  const { url, gateway, audit } = await startGateway({
    plugins: {
      'otel-audit': { exporter: 'otlp', otlp_endpoint: collector.url, include_request_body: true },
    },
    routes: [route(upstream.url)],
  })
  const answer = await create(url)
  expect([answer.status, await answer.json()]).toEqual([201, { id: 'o-1' }])
  await gateway.close()
  const [span] = collector.spans
  expect(collector.spans).toHaveLength(1)
  expect(upstream.requests[0]?.headers['traceparent']).toBe(
    `00-4bf92f3577b34da6a3ce929d0e0e4736-${span?.spanId}-01`,
  )
  expect(upstream.requests[0]?.body.toString()).toBe('{"goal":"ctr"}')
  expect(span?.attributes).toEqual(
    expect.objectContaining({
      tenant_id: 'acme',
      request_id: 'req-7',
      resource_id: 'c-9',
      outcome: 'success',
      request_body: '{"goal":"ctr"}',
      'attributes.outcome_type': 'created',
    }),
  )
  expect(audit).toEqual([])
})

it('a dead collector changes no answer, is counted, and is warned of', async () => {
  const upstream = await okUpstream()
  const otlp_endpoint = `http://127.0.0.1:${await freePort()}`
  const { url, metrics, log } = await startGateway({
    plugins: { 'otel-audit': { exporter: 'otlp', otlp_endpoint } },
    routes: [route(upstream.url)],
  })
  expect((await create(url)).status).toBe(201)
  const lost = 'agentic_plugin_otelaudit_emit_total{exporter="otlp",outcome="error"} 1'
  await expect.poll(metrics).toContain(lost)
  expect(log).toContainEqual(
    expect.objectContaining({ level: 'warn', msg: 'audit records were dropped', records: 1 }),
  )
})

it('the line on stdout is there when the gateway has closed', async () => {
  const upstream = await okUpstream()
  const { url, gateway, audit } = await startGateway({ routes: [route(upstream.url)] })
  await create(url)
  await gateway.close()
  expect(audit).toEqual([
    expect.objectContaining({ msg: 'agentic.request', request_id: 'req-7', outcome: 'success' }),
  ])
})
