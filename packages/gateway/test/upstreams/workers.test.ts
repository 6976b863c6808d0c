import { metricValue } from '@agentic-rest/testing/metric-value'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { expect, it } from 'vitest'
import { startSupervisor } from '../workers/start-supervisor.ts'
import { startServices, upstreamConfig } from './start-targets.ts'

it('workers share the targets of an upstream and count together', async () => {
  const services = await startServices(2)
  const config = upstreamConfig({ targets: services.map(({ url }) => url) })
  const { url } = await startSupervisor({ ...config, gateway: { workers: 2 } })
  for (let request = 0; request < 40; request += 1) expect((await sendRequest(`${url}/r`)).status).toBe(200)
  const scrape = (await sendRequest(`${url}/metrics`)).body.toString()
  for (const [index, { requests }] of services.entries()) {
    const labels = { upstream: 'service', target: String(index + 1) }
    expect(requests.length).toBeGreaterThan(0)
    expect(metricValue(scrape, 'agentic_upstream_target_requests_total', labels)).toBe(requests.length)
    expect(metricValue(scrape, 'agentic_upstream_target_up', labels)).toBe(1)
  }
})
