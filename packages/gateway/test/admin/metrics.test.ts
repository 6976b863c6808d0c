import { configText } from '@agentic-rest/testing/config-text'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { expect, test } from 'vitest'
import { parseConfig } from '../../src/index.ts'
import { sendItem, startAdmin } from './harness/start-admin.ts'

/** Outside development: every other path of the listener needs a role, which nobody has in a closed network. */
const closed = { admin: {}, settings: { role: 'operator' } }

test('metrics on the admin port need no token there and are gone from the main port', async () => {
  const { url, adminUrl } = await startAdmin({
    ...closed,
    config: {
      gateway: { admin: { port: 0, role: 'operator' }, metrics: { port: 'admin' } },
    },
  })
  await sendItem(url, 'corr-1')
  const main = await fetch(`${url}/metrics`, { headers: { 'X-Correlation-ID': 'c', 'X-Request-ID': 'r' } })
  expect(main.status).toBe(404)
  expect(main.headers.get('content-type')).toBe('application/vnd.agentic.error+json')
  expect(await main.json()).toMatchObject({ code: 'ROUTE_NOT_FOUND', trace: { requestId: 'r' } })
  const scrape = await fetch(`${adminUrl}/metrics`)
  expect(scrape.status).toBe(200)
  expect(scrape.headers.get('content-type')).toMatch(/^text\/plain/)
  expect(metricValue(await scrape.text(), 'agentic_requests_total', { route: 'read-item' })).toBe(1)
  expect((await fetch(`${adminUrl}/metrics`, { method: 'HEAD' })).status).toBe(200)
  expect((await fetch(`${adminUrl}/metrics`, { method: 'POST' })).status).toBe(405)
  expect((await fetch(`${adminUrl}/api/gateway`)).status).toBe(403)
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
})

test('metrics stay on the main port by default, and the admin port asks for a token', async () => {
  const { url, adminUrl } = await startAdmin(closed)
  expect((await fetch(`${url}/metrics`)).status).toBe(200)
  expect((await fetch(`${adminUrl}/metrics`)).status).toBe(403)
})

test('a reload moves the metrics', async () => {
  const gateway = { admin: { port: 0, role: 'operator' } }
  const moved = { gateway: { ...gateway, metrics: { port: 'admin' } }, routes: [] }
  const {
    url,
    adminUrl,
    gateway: running,
  } = await startAdmin({
    ...closed,
    config: { gateway },
    source: {
      file: 'gateway.yaml',
      read: () => parseConfig(configText(moved), { file: 'gateway.yaml', env: {} }),
    },
  })
  expect((await fetch(`${url}/metrics`)).status).toBe(200)
  expect(await running.reload()).toMatchObject({ result: 'applied' })
  expect((await fetch(`${url}/metrics`)).status).toBe(404)
  expect((await fetch(`${adminUrl}/metrics`)).status).toBe(200)
})
