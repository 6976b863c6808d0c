import { eventually } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { ids } from '@agentic-rest/testing/send-request'
import { startServer } from '@agentic-rest/testing/start-server'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, test } from 'vitest'
import { runHere } from '../../packages/cli/test/harness/run-here.ts'
import {
  askItems,
  type ObservedGateway,
  observeLines,
  observeSpans,
  ROUTE,
  type StartObserved,
} from './start-observed.ts'

/** A service whose answer breaks a rule of the profile, on a route that only reports it. */
async function askFaulty(start: StartObserved) {
  const { url: target } = await startUpstream((_request, response) =>
    answerJson(response, { status: 500, type: 'application/json', body: { message: 'M' } }),
  )
  const gateway = await start({ route: { target, conformance: 'report' } })
  expect((await askItems(gateway)).status).toBe(500)
  return gateway
}

/** A service whose event stream breaks off after its first event. */
async function askBroken(start: StartObserved) {
  const { url: target } = await startServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: one\n\n', () => response.destroy())
  })
  const gateway = await start({ route: { target, mode: 'sse' } })
  const { body } = await askItems(gateway, { headers: { accept: 'text/event-stream' } })
  expect(body.toString()).toContain('"code":"UPSTREAM_UNAVAILABLE"')
  return gateway
}

const lineOf = (lines: readonly Record<string, unknown>[], key: string) =>
  eventually(
    () => lines.find((line) => line['request_id'] === ids.requestId && line[key] !== undefined),
    (line) => line !== undefined,
  )

async function askAdmin({ adminUrl }: ObservedGateway) {
  return await (await fetch(`${adminUrl}/api/exchanges/${ids.requestId}`)).json()
}

async function explained({ adminUrl }: ObservedGateway) {
  return (await runHere(['explain', ids.requestId, '--admin', adminUrl])).stdout
}

test('a rule that a delivered answer broke is told without a code', async () => {
  const { start } = await observeLines()
  const gateway = await askFaulty(start)
  expect(await lineOf(gateway.log, 'rule')).toEqual({
    time: expect.any(String),
    level: 'info',
    msg: 'an answer broke a rule of the profile',
    request_id: ids.requestId,
    correlation_id: ids.correlationId,
    route: ROUTE,
    status: 500,
    rule: 'media_type',
  })
  const record = await lineOf(gateway.audit, 'attributes')
  expect(record?.['attributes']).toMatchObject({ status: '500', rule: 'media_type' })
  expect(record?.['attributes']).not.toHaveProperty('code')
  const { text } = gateway.gateway.metrics.expose()
  const labels = { route: ROUTE, rule: 'media_type' }
  expect(metricValue(text, 'agentic_profile_violations_total', labels)).toBe(1)
  expect(text).not.toMatch(/^agentic_gateway_errors_total\{/m)
  const exchange = await askAdmin(gateway)
  expect(exchange).toMatchObject({ status: 500, rule: 'media_type' })
  expect(exchange).toHaveProperty('steps')
  expect(Object(exchange).steps).toContainEqual({
    name: 'check-response',
    verdict: 'passed',
    milliseconds: expect.any(Number),
    detail: 'the answer broke media_type',
  })
  expect(await explained(gateway)).toMatch(/^ +rule +media_type$/m)
})

test('a stream that breaks off has its code and cause, although its status was sent', async () => {
  const { start } = await observeLines()
  const gateway = await askBroken(start)
  const reason = { code: 'UPSTREAM_UNAVAILABLE', cause: expect.any(String), step: 'deliver' }
  expect(await lineOf(gateway.log, 'code')).toMatchObject({ level: 'warn', status: 424, ...reason })
  expect((await lineOf(gateway.audit, 'attributes'))?.['attributes']).toMatchObject(reason)
  const labels = { route: ROUTE, code: reason.code }
  expect(metricValue(gateway.gateway.metrics.expose().text, 'agentic_gateway_errors_total', labels)).toBe(1)
  expect(await askAdmin(gateway)).toMatchObject({ code: reason.code, cause: reason.cause })
  expect(await explained(gateway)).toMatch(/^ +code +UPSTREAM_UNAVAILABLE$/m)
})

test('both are on the span', async () => {
  const faulty = await observeSpans()
  await (await askFaulty(faulty.start)).gateway.close()
  expect(faulty.spans[0]?.attributes).toMatchObject({
    'http.response.status_code': 500,
    'error.type': '500',
    'attributes.rule': 'media_type',
  })
  const broken = await observeSpans()
  await (await askBroken(broken.start)).gateway.close()
  expect(broken.spans[0]?.attributes).toMatchObject({
    'error.type': 'UPSTREAM_UNAVAILABLE',
    'attributes.code': 'UPSTREAM_UNAVAILABLE',
    'attributes.cause': expect.any(String),
    'attributes.step': 'deliver',
  })
})
