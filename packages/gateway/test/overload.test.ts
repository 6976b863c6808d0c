import { eventually } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { describe, expect, it } from 'vitest'

describe('an overloaded gateway', () => {
  it('answers 503 OVERLOADED at once beyond max_in_flight, and works again when there is room', async () => {
    const waiting: (() => void)[] = []
    const upstream = await startUpstream((_request, response) => {
      waiting.push(() => answerJson(response, { body: { ok: true } }))
    })
    const { url, metrics } = await startGateway({
      gateway: { limits: { max_in_flight: 5, max_in_flight_per_tenant: 5 } },
      routes: [{ id: 'r', method: 'GET', path: '/r', target: upstream.url }],
    })
    const ask = () => fetch(`${url}/r`, { headers: { 'X-Tenant-ID': 'acme' } })
    const taken = Array.from({ length: 5 }, ask)
    await eventually(
      () => waiting.length,
      (count) => count === 5,
    )
    expect(metricValue(await metrics(), 'agentic_gateway_requests_in_flight')).toBe(5)
    const refused = await ask()
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(refused.headers.get('x-agentic-profile')).toBe('v0.3')
    expect(await refused.json()).toMatchObject({
      type: 'error',
      code: 'OVERLOADED',
      message: 'The gateway has more work than it can do at the moment: the limit max_in_flight is reached.',
    })
    for (const answer of waiting.splice(0)) answer()
    for (const response of await Promise.all(taken)) expect(response.status).toBe(200)
    const again = ask()
    await eventually(
      () => waiting.length,
      (count) => count === 1,
    )
    waiting[0]?.()
    expect((await again).status).toBe(200)
    expect(metricValue(await metrics(), 'agentic_requests_total', { outcome: 'unavailable' })).toBe(1)
  })
})
