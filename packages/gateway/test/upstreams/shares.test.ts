import { metricValue } from '@agentic-rest/testing/metric-value'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { expect, it } from 'vitest'
import { startBalanced, startServices } from './start-targets.ts'

it('spreads requests over the targets by their weights, and counts each', async () => {
  const services = await startServices(2)
  const [heavy, light] = services.map(({ url }) => url)
  const { url, metrics } = await startBalanced({ targets: [{ url: heavy, weight: 9 }, light] })
  for (let request = 0; request < 100; request += 1) expect((await sendRequest(`${url}/r`)).status).toBe(200)
  const [first = 0, second = 0] = services.map(({ requests }) => requests.length)
  expect(first + second).toBe(100)
  expect(first).toBeGreaterThan(70)
  expect(second).toBeGreaterThan(0)
  const scrape = await metrics()
  const name = 'agentic_upstream_target_requests_total'
  expect(metricValue(scrape, name, { upstream: 'service', target: '1', result: 'answered' })).toBe(first)
  expect(metricValue(scrape, name, { upstream: 'service', target: '2', result: 'answered' })).toBe(second)
  expect(metricValue(scrape, 'agentic_upstream_target_up', { upstream: 'service', target: '1' })).toBe(1)
  expect(scrape).not.toContain('127.0.0.1')
})

it('sends the path of a target in front, and keeps both routes of an upstream on one set of targets', async () => {
  const [service] = await startServices(1)
  const { url } = await startBalanced({ targets: [`${service?.url}/base/`] })
  expect((await sendRequest(`${url}/r?q=1`)).status).toBe(200)
  expect((await sendRequest(`${url}/r`, { method: 'POST', body: '{}' })).status).toBe(200)
  expect(service?.requests.map((request) => request.url)).toEqual(['/base/r?q=1', '/base/r'])
})
