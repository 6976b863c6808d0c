import { Agent, request as httpRequest } from 'node:http'
import { eventually } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { startGatewayProcess } from '@agentic-rest/testing/start-gateway-process'
import { expect, it, onTestFinished } from 'vitest'
import { startServiceProcess } from './service-process.ts'
import { upstreamConfig } from './start-targets.ts'

const TICK_MS = 20
const PER_TICK = 10

/** Sends 500 requests a second, safe and keyed ones in turn, until it is stopped; counts them by status. */
function startLoad(url: string) {
  // Fewer than the requests from which on a late event loop is an overload: a busy machine must not shed load here.
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  onTestFinished(() => agent.destroy())
  const counts: Record<string, number> = {}
  let open = 0
  let sent = 0
  const count = (status: string) => {
    counts[status] = (counts[status] ?? 0) + 1
    open -= 1
  }
  const send = () => {
    sent += 1
    open += 1
    const isSafe = sent % 2 === 0
    const request = httpRequest(`${url}/r`, {
      agent,
      method: isSafe ? 'GET' : 'POST',
      headers: { 'x-tenant-id': 'acme', ...(!isSafe && { 'idempotency-key': String(sent) }) },
    })
    request.on('error', () => count('error'))
    request.on('response', (response) => {
      response.resume().on('end', () => count(String(response.statusCode)))
    })
    request.end(isSafe ? undefined : '{}')
  }
  const timer = setInterval(() => {
    for (let index = 0; index < PER_TICK; index += 1) send()
  }, TICK_MS)
  onTestFinished(() => clearInterval(timer))
  return {
    sent: () => sent,
    async stop() {
      clearInterval(timer)
      await eventually(
        () => open,
        (left) => left === 0,
      )
      return counts
    },
  }
}

it('a restart of both services in turn under load fails no request', async () => {
  const services = await Promise.all([startServiceProcess(), startServiceProcess()])
  const { url, stop } = await startGatewayProcess({
    config: upstreamConfig({
      targets: services.map((service) => service.url),
      health: { path: '/healthz', interval_seconds: 1, timeout_ms: 1000, healthy_after: 1 },
    }),
  })
  onTestFinished(stop)
  const up = async (target: number) => {
    const scrape = await (await fetch(`${url}/metrics`)).text()
    return metricValue(scrape, 'agentic_upstream_target_up', { target: String(target) })
  }
  const load = startLoad(url)
  await eventually(load.sent, (sent) => sent > 500)
  for (const [index, service] of services.entries()) {
    await service.restart('SIGTERM')
    await eventually(
      () => up(index + 1),
      (value) => value === 1,
    )
    const before = load.sent()
    await eventually(load.sent, (sent) => sent > before + 1000)
  }
  expect(await load.stop()).toEqual({ 200: load.sent() })
})
