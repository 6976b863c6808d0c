import { eventually } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { describe, expect, it } from 'vitest'
import { startBlackhole } from './harness/blackhole.ts'
import { expectRefusal } from './harness/expect-refusal.ts'
import { ownTime } from './harness/own-time.ts'

describe('an upstream whose packets vanish', () => {
  it('is 424 UPSTREAM_UNAVAILABLE once five seconds have passed, and a deadline or a client that leaves ends it before', async () => {
    const target = `http://127.0.0.1:${await startBlackhole()}`
    const { url, metrics } = await startGateway({
      routes: [
        { id: 'plain', method: 'GET', path: '/plain', target },
        { id: 'timed', method: 'GET', path: '/timed', target, executionTimeoutSeconds: 1 },
      ],
    })
    const start = performance.now()
    const plain = sendRequest(`${url}/plain`)
    const plainTime = ownTime(() => plain)
    const leaves = expect(sendRequest(`${url}/plain`, { signal: AbortSignal.timeout(300) })).rejects.toThrow()
    const timed = sendRequest(`${url}/timed`)
    expect(await ownTime(() => timed)).toBeLessThan(1500)
    expectRefusal(await timed, 500, 'EXECUTION_TIMEOUT')
    await leaves
    const left = { outcome: 'client_disconnect' }
    await eventually(
      async () => metricValue(await metrics(), 'agentic_requests_total', left),
      (count) => count === 1,
    )
    expectRefusal(await plain, 424, 'UPSTREAM_UNAVAILABLE')
    expect(performance.now() - start).toBeGreaterThan(4500)
    expect(await plainTime).toBeLessThan(7000)
    await eventually(
      async () => metricValue(await metrics(), 'agentic_gateway_requests_in_flight'),
      (count) => count === 0,
    )
  })
})
