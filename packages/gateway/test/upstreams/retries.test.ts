import { freePort } from '@agentic-rest/testing/free-port'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { answerJson, startResetting, startUpstream, traceOf } from '@agentic-rest/testing/start-upstream'
import { describe, expect, it } from 'vitest'
import { expectRefusal } from '../harness/expect-refusal.ts'
import { startBalanced, startServices } from './start-targets.ts'

/** Fewer than the retries that are always allowed. */
const REQUESTS = 9
/** Enough for both targets to get some. */
const MANY = 30
const NEVER_EJECT = { max_percent: 0 }
const post = { method: 'POST', body: '{}' }
const keyed = { ...post, headers: { 'idempotency-key': 'k1' } }

async function statusesOf(url: string, options = {}, count = REQUESTS): Promise<Set<number>> {
  const statuses = new Set<number>()
  for (let request = 0; request < count; request += 1)
    statuses.add((await sendRequest(`${url}/r`, options)).status)
  return statuses
}

describe('a request that was never sent', () => {
  it.each([
    ['a safe one', {}],
    ['one without a key', post],
  ])('goes to another target: %s', async (_name, options) => {
    const [service] = await startServices(1)
    const refused = `http://127.0.0.1:${await freePort()}`
    const { url } = await startBalanced({ targets: [refused, service?.url], eject: NEVER_EJECT })
    expect(await statusesOf(url, options)).toEqual(new Set([200]))
  })

  it('takes a large streamed body along', async () => {
    const service = await startUpstream(({ body }, response) => answerJson(response, { body: body.length }))
    const refused = `http://127.0.0.1:${await freePort()}`
    const { url } = await startBalanced({ targets: [refused, service.url], eject: NEVER_EJECT })
    const body = Buffer.alloc(300_000, 'x')
    for (let request = 0; request < REQUESTS; request += 1) {
      const answer = await sendRequest(`${url}/r`, { method: 'POST', body })
      expect([answer.status, answer.body.toString()]).toEqual([200, '300000'])
    }
  })

  it('is answered with 424 when the retries are used up', async () => {
    const ports = await Promise.all([freePort(), freePort()])
    const targets = ports.map((port) => `http://127.0.0.1:${port}`)
    const { url } = await startBalanced({ targets, eject: NEVER_EJECT })
    expectRefusal(await sendRequest(`${url}/r`), 424, 'UPSTREAM_UNAVAILABLE')
  })

  it('is sent once with attempts 0', async () => {
    const [service] = await startServices(1)
    const refused = `http://127.0.0.1:${await freePort()}`
    const retry = { attempts: 0 }
    const { url } = await startBalanced({ targets: [refused, service?.url], eject: NEVER_EJECT, retry })
    expect(await statusesOf(url, {}, MANY)).toEqual(new Set([200, 424]))
  })
})

describe('a request that may have been received', () => {
  it.each([
    ['safe', {}],
    ['keyed', keyed],
  ])('goes to another target if it is %s', async (_name, options) => {
    const resetting = await startResetting()
    const [service] = await startServices(1)
    const { url } = await startBalanced({ targets: [resetting.url, service?.url], eject: NEVER_EJECT })
    expect(await statusesOf(url, options)).toEqual(new Set([200]))
  })

  it('is sent once without a key', async () => {
    const resetting = await startResetting()
    const [service] = await startServices(1)
    const { url } = await startBalanced({ targets: [resetting.url, service?.url], eject: NEVER_EJECT })
    expect(await statusesOf(url, post, MANY)).toEqual(new Set([200, 424]))
    expect((service?.requests.length ?? 0) + resetting.received()).toBe(MANY)
  })

  it('goes to another target after an untyped 5xx; a typed 500 is an answer', async () => {
    const failing = await startUpstream((_request, response) =>
      answerJson(response, { status: 503, body: {} }),
    )
    const [service] = await startServices(1)
    const { url, metrics } = await startBalanced({ targets: [failing.url, service?.url], eject: NEVER_EJECT })
    expect(await statusesOf(url)).toEqual(new Set([200]))
    expect(await statusesOf(url, post, MANY)).toEqual(new Set([200, 503]))
    const failures = { target: '1', result: 'server_error' }
    expect(metricValue(await metrics(), 'agentic_upstream_target_requests_total', failures)).toBe(
      failing.requests.length,
    )
    const typed = await startUpstream((request, response) =>
      answerJson(response, {
        status: 500,
        type: 'application/vnd.agentic.error+json',
        body: { type: 'error', code: 'X', message: 'No.', trace: traceOf(request) },
      }),
    )
    const other = await startBalanced({
      targets: [typed.url, service?.url],
      eject: { consecutive_failures: 1 },
    })
    expect(await statusesOf(other.url, {}, MANY)).toEqual(new Set([200, 500]))
    expect(metricValue(await other.metrics(), 'agentic_upstream_target_up', { target: '1' })).toBe(1)
  })

  it('is not sent again beyond its deadline', async () => {
    const silent = await startUpstream(() => undefined)
    const [service] = await startServices(1)
    const targets = [silent.url, service?.url]
    const { url, metrics } = await startBalanced(
      { targets, eject: NEVER_EJECT },
      { executionTimeoutSeconds: 1 },
    )
    const answers = await Promise.all(Array.from({ length: 8 }, () => sendRequest(`${url}/r`)))
    const late = answers.filter(({ status }) => status !== 200)
    expect(late.length).toBe(silent.requests.length)
    expect(late.length).toBeGreaterThan(0)
    for (const answer of late) expectRefusal(answer, 500, 'EXECUTION_TIMEOUT')
    const labels = { target: '1', result: 'timeout' }
    expect(metricValue(await metrics(), 'agentic_upstream_target_requests_total', labels)).toBe(late.length)
  })
})
