import { eventually } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { openStream } from '@agentic-rest/testing/stream-client'
import { expect, test } from 'vitest'
import { InitialisationError } from '../../src/index.ts'
import { makeSupervisor, startSupervisor } from './start-supervisor.ts'

const routesTo = (target: string) => [
  { id: 'read-item', method: 'GET', path: '/items/{itemId}', target },
  { id: 'events', method: 'POST', path: '/events', target, mode: 'sse' },
]

const startItemsAndEvents = () =>
  startUpstream((request, response) => {
    if (request.method === 'GET') return answerJson(response, { body: { ok: true } })
    return void response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
  })

test('a supervisor runs its workers from their start to their end', async () => {
  const { url: target } = await startItemsAndEvents()
  const gateway = { workers: 2, llm: { max_sse_connections_per_tenant: 2 }, drain_seconds: 1 }
  const { supervisor, url, log, output, rewrite } = await startSupervisor({
    gateway,
    routes: routesTo(target),
  })
  const logged = (message: string) =>
    eventually(
      () => log.find(({ msg }) => msg === message),
      (line) => line !== undefined,
    )
  expect(supervisor.adminPort).toBeUndefined()
  // Once, and not by each worker.
  const warnings = log.map(({ warning }) => warning).filter((warning) => warning !== undefined)
  expect(warnings).toEqual(['token-validation-off', 'tenant-open', 'sse-without-deadline'])
  for (let count = 0; count < 4; count += 1) expect((await sendRequest(`${url}/items/1`)).status).toBe(200)
  const scrape = async () => String((await sendRequest(`${url}/metrics`)).body)
  expect(metricValue(await scrape(), 'agentic_requests_total')).toBe(4)
  expect(metricValue(await scrape(), 'agentic_gateway_workers')).toBe(2)
  const streams = [await openStream({ url: `${url}/events` }), await openStream({ url: `${url}/events` })]
  expect((await openStream({ url: `${url}/events` })).response.statusCode).toBe(429)
  streams[0]?.leave()
  await eventually(
    async () => (await openStream({ url: `${url}/events` })).response.statusCode,
    (status) => status === 200,
  )

  rewrite({ gateway: { ...gateway, limits: { max_in_flight: 1 } }, routes: [] })
  expect(await supervisor.reload()).toEqual({ at: expect.any(String), result: 'applied', faults: [] })
  expect((await sendRequest(`${url}/items/1`)).status).toBe(404)
  rewrite({ gateway: { ...gateway, workers: 4 }, routes: [] })
  expect(await supervisor.reload()).toMatchObject({
    result: 'refused',
    faults: [expect.stringMatching(/workers: cannot/)],
  })
  rewrite({ gateway, routes: [{ id: 'no method' }] })
  expect(await supervisor.reload()).toMatchObject({ result: 'refused' })
  expect(JSON.parse(String((await sendRequest(`${url}/readyz`)).body))).toEqual({
    status: 'ready',
    degraded: ['configuration: the last reload was refused'],
  })

  await supervisor.drain()
  expect(await logged('the time to drain is over')).toMatchObject({ level: 'warn' })
  await expect(sendRequest(`${url}/healthz`)).rejects.toThrow(/ECONNREFUSED/)
  const records = output()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(records.filter(({ operation }) => operation === 'read-item')).toHaveLength(4)
})

test('a worker that cannot start ends the start of all, with its reason', async () => {
  const { url: target } = await startItemsAndEvents()
  const token = { issuers: [{ issuer: 'https://id.test', audience: ['a'], jwks_file: 'no.json' }] }
  const { supervisor } = makeSupervisor({
    gateway: { workers: 2 },
    plugins: { 'token-validator': token },
    routes: routesTo(target),
  })
  await expect(supervisor.start()).rejects.toThrow(
    new InitialisationError('issuer https://id.test: jwks_file cannot be read'),
  )
})
