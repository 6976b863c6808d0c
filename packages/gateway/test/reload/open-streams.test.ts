import { startEventUpstream } from '@agentic-rest/testing/event-upstream'
import { eventually } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { openStream } from '@agentic-rest/testing/stream-client'
import { expect, test } from 'vitest'
import { MAX_FORMER } from '../../src/lifetime/snapshot.ts'
import { expectRefusal, readFetched } from '../harness/expect-outcome.ts'
import { applied, startReloadable } from './start-reloadable.ts'

const llm = (target: string) => ({ id: 'llm', method: 'POST', path: '/llm', target, mode: 'sse' })

test('an open stream goes on with its old route to its end, and its connections end with it', async () => {
  const events = await startEventUpstream()
  const gateway = await startReloadable({ routes: [llm(events.url)] })
  const client = await openStream({ url: `${gateway.url}/llm` })
  const upstream = await events.opened()
  upstream.response.write('data: before\n\n')
  await client.until('before')
  expect(await gateway.reloadTo({ routes: [] })).toMatchObject(applied)
  const gone = await fetch(`${gateway.url}/llm`, { method: 'POST', headers: { 'X-Tenant-ID': 'acme' } })
  expectRefusal(await readFetched(gone), 404, 'ROUTE_NOT_FOUND')
  upstream.response.write('data: after\n\n')
  await client.until('after')
  expect(metricValue(await gateway.metrics(), 'agentic_gateway_upstream_connections')).toBe(1)
  upstream.response.end('data: last\n\n')
  expect(await client.ended).toEqual({
    complete: true,
    text: 'data: before\n\ndata: after\n\ndata: last\n\n',
  })
  const scrape = await eventually(gateway.metrics, (text) => !text.includes('upstream_connections{'))
  expect(metricValue(scrape, 'agentic_requests_total', { route: 'llm', outcome: 'untyped_2xx' })).toBe(1)
  expect(gateway.audit).toMatchObject([{ operation: 'llm' }])
})

test('the slots that old streams hold count for new ones, whatever the new limit', async () => {
  const events = await startEventUpstream()
  const limited = (limit: number) => ({
    gateway: { llm: { max_sse_connections_per_tenant: limit } },
    routes: [llm(events.url)],
  })
  const gateway = await startReloadable(limited(1))
  const first = await openStream({ url: `${gateway.url}/llm` })
  await gateway.reloadTo(limited(2))
  const second = await openStream({ url: `${gateway.url}/llm` })
  const third = await openStream({ url: `${gateway.url}/llm` })
  expect([first, second, third].map(({ response }) => response.statusCode)).toEqual([200, 200, 429])
  await gateway.reloadTo(limited(1))
  const fourth = await openStream({ url: `${gateway.url}/llm` })
  expect(fourth.response.statusCode).toBe(429)
})

test('a connection to an upstream that stays serves the new configuration too', async () => {
  const sockets = new Set<unknown>()
  const upstream = await startUpstream((_request, response) => {
    sockets.add(response.socket)
    answerJson(response, { body: {} })
  })
  const routes = [{ id: 'r', method: 'GET', path: '/r', target: upstream.url }]
  const gateway = await startReloadable({ routes })
  const send = async () =>
    await (await fetch(`${gateway.url}/r`, { headers: { 'X-Tenant-ID': 'acme' } })).json()
  await send()
  await gateway.reloadTo({ routes: [...routes, { ...routes[0], id: 's', path: '/s' }] })
  await send()
  expect(upstream.requests).toHaveLength(2)
  expect(sockets.size).toBe(1)
})

test('streams without a deadline keep a bounded number of configurations: the oldest end in order', async () => {
  const events = await startEventUpstream()
  const endless = { ...llm(events.url), executionTimeoutSeconds: 0 }
  const config = { gateway: { llm: { max_sse_connections_per_tenant: 100 } }, routes: [endless] }
  const gateway = await startReloadable(config)
  const clients = []
  for (let index = 0; index <= MAX_FORMER; index += 1) {
    clients.push(await openStream({ url: `${gateway.url}/llm` }))
    expect(await gateway.reloadTo(config)).toMatchObject(applied)
  }
  const [oldest, next] = clients
  const { text } = (await oldest?.ended) ?? { text: '' }
  expect(text).toContain('"code":"SHUTTING_DOWN"')
  const second = await events.opened(1)
  second.response.write('data: still here\n\n')
  expect(await next?.until('still here')).toBe('data: still here\n\n')
  expect(gateway.log).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      msg: 'too many configurations are in use: requests of the oldest are ended',
      cancelled: 1,
    }),
  )
})
