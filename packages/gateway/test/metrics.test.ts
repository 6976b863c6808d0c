import { startEventUpstream } from '@agentic-rest/testing/event-upstream'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream, traceOf } from '@agentic-rest/testing/start-upstream'
import { expect, it } from 'vitest'
import type { Exchange } from '../src/exchange.ts'

it('has HELP and TYPE of the seven metrics of the specification from the first scrape on', async () => {
  const { metrics } = await startGateway({ routes: [] })
  const scrape = await metrics()
  const types = [...scrape.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`)
  expect(types).toEqual(
    expect.arrayContaining([
      'agentic_requests_total counter',
      'agentic_request_duration_seconds histogram',
      'agentic_upstream_duration_seconds histogram',
      'agentic_gateway_sse_connections_active gauge',
      'agentic_gateway_sse_errors_total counter',
      'agentic_plugin_otelaudit_emit_total counter',
      'agentic_plugin_otelaudit_emit_duration_seconds histogram',
      'agentic_profile_violations_total counter',
    ]),
  )
  expect([...scrape.matchAll(/^# HELP /gm)]).toHaveLength(types.length)
  expect(scrape).toMatch(/agentic_build_info\{version="0\.0\.0-test",profile="v0\.3",node="v24[^"]*"\} 1/)
})

it('has exactly the labels of the specification', async () => {
  const events = await startEventUpstream()
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const { url, metrics } = await startGateway({
    gateway: { llm: { max_sse_connections_per_tenant: 1 } },
    routes: [
      { id: 'r', method: 'GET', path: '/r', target: upstream.url },
      { id: 'llm', method: 'GET', path: '/llm', target: events.url, mode: 'sse' },
    ],
  })
  const stream = { headers: { 'X-Tenant-ID': 'acme', Accept: 'text/event-stream' } }
  await fetch(`${url}/r`, stream)
  const open = await fetch(`${url}/llm`, stream)
  await fetch(`${url}/llm`, stream)
  const scrape = await metrics()
  await open.body?.cancel()
  const labelsOf = (name: string) => {
    const line = scrape.split('\n').find((text) => text.startsWith(`${name}{`)) ?? ''
    return [...line.matchAll(/(\w+)="/g)].map(([, label]) => label).sort()
  }
  expect({
    requests: labelsOf('agentic_requests_total'),
    duration: labelsOf('agentic_request_duration_seconds_bucket'),
    upstream: labelsOf('agentic_upstream_duration_seconds_bucket'),
    active: labelsOf('agentic_gateway_sse_connections_active'),
    errors: labelsOf('agentic_gateway_sse_errors_total'),
    emits: labelsOf('agentic_plugin_otelaudit_emit_total'),
    emitDuration: labelsOf('agentic_plugin_otelaudit_emit_duration_seconds_bucket'),
  }).toEqual({
    requests: ['outcome', 'route', 'tenant_id'],
    duration: ['le', 'route'],
    upstream: ['le', 'route'],
    active: ['route_id', 'tenant_id'],
    errors: ['error_kind', 'route_id', 'tenant_id'],
    emits: ['exporter', 'outcome'],
    emitDuration: ['exporter', 'le'],
  })
})

it('counts each answer under its outcome, route and validated tenant', async () => {
  const upstream = await startUpstream((request, response) => {
    const status = Number(request.url.slice(1).split('?')[0])
    const typed = request.url.includes('typed')
    if (!typed) return answerJson(response, { status, type: 'text/plain', body: 'x' })
    const type = status === 200 ? 'application/json' : 'application/vnd.agentic.error+json'
    const body = {
      type: status === 403 ? 'forbidden' : 'error',
      code: 'X',
      message: 'm',
      trace: traceOf(request),
    }
    return answerJson(response, { status, type, body })
  })
  const { url, metrics } = await startGateway({
    gateway: { limits: { max_body_bytes: 10 } },
    routes: [
      { id: 'any', method: 'GET', path: '/{status}', target: upstream.url },
      { id: 'big', method: 'POST', path: '/big', target: upstream.url },
    ],
  })
  const ask = (path: string, { method = 'GET', tenant = 'acme' } = {}) =>
    fetch(`${url}${path}`, { redirect: 'manual', method, headers: { 'X-Tenant-ID': tenant } })
  for (const path of ['200?typed', '403?typed', '404?typed', '503?typed', '204', '302', '404', '500']) {
    const response = await ask(`/${path}`)
    await response.arrayBuffer()
  }
  await ask('/a/b')
  await ask('/200', { method: 'DELETE' })
  await ask('/200', { tenant: '' })
  await fetch(`${url}/big`, { method: 'POST', body: 'x'.repeat(11) })
  const scrape = await metrics()
  const count = (outcome: string, route = 'any', tenant_id = 'acme') =>
    metricValue(scrape, 'agentic_requests_total', { route, outcome, tenant_id })
  expect({
    success: count('success'),
    forbidden: count('forbidden'),
    not_found: count('not_found'),
    unavailable: count('unavailable'),
    untyped_2xx: count('untyped_2xx'),
    untyped_3xx: count('untyped_3xx'),
    untyped_4xx: count('untyped_4xx'),
    untyped_5xx: count('untyped_5xx'),
    unmatched: count('not_found', 'unmatched', ''),
    method: count('method_not_allowed', 'unmatched', ''),
    tenantless: count('forbidden', 'any', ''),
    large: count('too_large', 'big', ''),
  }).toEqual({
    success: 1,
    forbidden: 1,
    not_found: 1,
    unavailable: 1,
    untyped_2xx: 1,
    untyped_3xx: 1,
    untyped_4xx: 1,
    untyped_5xx: 1,
    unmatched: 1,
    method: 1,
    tenantless: 1,
    large: 1,
  })
})

it('keeps at most 1,000 tenants apart', async () => {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const { url, metrics } = await startGateway({
    routes: [{ id: 'r', method: 'GET', path: '/r', target: upstream.url }],
  })
  for (let start = 0; start < 1100; start += 50) {
    const batch = Array.from({ length: 50 }, (_, index) =>
      fetch(`${url}/r`, { headers: { 'X-Tenant-ID': `tenant-${start + index}` } }).then((response) =>
        response.text(),
      ),
    )
    await Promise.all(batch)
  }
  const scrape = await metrics()
  const series = scrape.split('\n').filter((line) => line.startsWith('agentic_requests_total{'))
  expect(series.length).toBeLessThanOrEqual(1001)
  expect(metricValue(scrape, 'agentic_requests_total', { tenant_id: 'other' })).toBeGreaterThanOrEqual(100)
})

it('has at most 2,000 series of a metric, whatever tenants do on whichever route', async () => {
  const { metrics, gateway } = await startGateway({ routes: [] })
  const routes = Array.from({ length: 10 }, (_, index) => ({ id: `route-${index}` }))
  const labels = ['success', 'created', 'forbidden', 'error', 'untyped_5xx']
  const streamErrors = ['client_disconnect', 'timeout'] as const
  for (let index = 0; index < 3000; index += 1) {
    const exchange = {
      tenantId: `tenant-${index % 701}`,
      route: routes[index % 10],
      result: { label: labels[index % 5] },
      streamError: streamErrors[index % 2],
      startedAt: 0,
      violations: [],
    } as unknown as Exchange
    gateway.metrics.requestFinished(exchange)
    gateway.metrics.streamOpened(exchange)
    if (index % 2 === 0) gateway.metrics.streamClosed(exchange)
  }
  const scrape = await metrics()
  const values = (name: string) =>
    scrape
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`))
      .map((line) => Number(line.split(' ').at(-1)))
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)
  // Each tenant has more than two series, and no count is lost.
  for (const name of ['agentic_requests_total', 'agentic_gateway_sse_errors_total']) {
    expect(values(name).length).toBeGreaterThan(1500)
    expect(values(name).length).toBeLessThanOrEqual(2000)
    expect(sum(values(name))).toBe(3000)
  }
  const active = values('agentic_gateway_sse_connections_active')
  expect(sum(active)).toBe(1500)
  expect(active.every((value) => value >= 0)).toBe(true)
})
