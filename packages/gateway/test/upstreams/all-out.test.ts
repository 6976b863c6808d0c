import { eventually } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, it } from 'vitest'
import { expectRefusal } from '../harness/expect-refusal.ts'
import { startBalanced } from './start-targets.ts'

it('failed checks take all targets out: 424 with Retry-After at once, without a request to them', async () => {
  let isHealthy = false
  const service = await startUpstream(({ url }, response) =>
    answerJson(response, { status: url === '/healthz' && !isHealthy ? 503 : 200, body: {} }),
  )
  const { url, metrics, audit } = await startBalanced({
    targets: [service.url],
    health: { path: '/healthz', interval_seconds: 1, unhealthy_after: 1, healthy_after: 1 },
  })
  const up = async () => metricValue(await metrics(), 'agentic_upstream_target_up', { target: '1' })
  await eventually(up, (value) => value === 0)
  const answer = await sendRequest(`${url}/r`)
  expectRefusal(answer, 424, 'UPSTREAM_UNAVAILABLE')
  expect(answer.headers['retry-after']).toBe('1')
  expect(service.requests.every((request) => request.url === '/healthz')).toBe(true)
  const records = await eventually(
    () => audit,
    (list) => list.length > 0,
  )
  expect(JSON.stringify(records)).toContain('NO_TARGET')
  isHealthy = true
  await eventually(up, (value) => value === 1)
  expect((await sendRequest(`${url}/r`)).status).toBe(200)
})

it('ejection leaves a single target in use with max_percent 50, and takes it out with 100', async () => {
  const service = await startUpstream((_request, response) => answerJson(response, { status: 500, body: {} }))
  const eject = { consecutive_failures: 2, seconds: 20 }
  const kept = await startBalanced({ targets: [service.url], eject })
  for (let request = 0; request < 4; request += 1)
    expect((await sendRequest(`${kept.url}/r`)).status).toBe(500)
  const taken = await startBalanced({ targets: [service.url], eject: { ...eject, max_percent: 100 } })
  const statuses = []
  for (let request = 0; request < 4; request += 1) statuses.push((await sendRequest(`${taken.url}/r`)).status)
  expect(statuses).toEqual([500, 500, 424, 424])
  const answer = await sendRequest(`${taken.url}/r`)
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(10)
  expect(metricValue(await taken.metrics(), 'agentic_upstream_target_ejections_total', { target: '1' })).toBe(
    1,
  )
})
