import { metricValue } from '@agentic-rest/testing/metric-value'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Exchange } from '../src/exchange.ts'
import type { PipelinePlugin } from '../src/plugin.ts'
import { expectRefusal } from './harness/expect-refusal.ts'
import { startTypedPair } from './harness/typed-upstream.ts'

const SECRET = 'secret of the plugin at 10.0.0.1'
const boom = () => new Error(SECRET)

/** What the faulty plugin does, chosen by a header of the request. */
const faults: Record<string, (exchange: Exchange) => ReturnType<PipelinePlugin['request']>> = {
  sync: () => {
    throw boom()
  },
  text: () => {
    throw SECRET
  },
  nothing: () => {
    throw undefined
  },
  async: () => Promise.reject(boom()),
  later: () => new Promise((_resolve, reject) => setImmediate(reject, boom())),
}

const seen = vi.hoisted(() => ({ responses: 0 }))

vi.mock('../src/plugins/prompt-sanitize/prompt-sanitize.ts', () => ({
  promptSanitize: (): PipelinePlugin => ({
    name: 'prompt-sanitize',
    request: (exchange) => faults[exchange.headers['x-fault'] ?? '']?.(exchange),
    response(exchange) {
      seen.responses += 1
      if (exchange.headers['x-fault'] === 'response') throw boom()
      // A plugin in JavaScript may return what its type does not allow.
      if (exchange.headers['x-fault'] === 'async-response') return Promise.reject(boom()) as never
    },
  }),
}))

beforeEach(() => {
  seen.responses = 0
})

describe('a plugin that fails', () => {
  it.each(Object.keys(faults))('(%s) is 500 PLUGIN_FAILED for that request alone', async (fault) => {
    const pair = await startTypedPair()
    pair.next = { status: 200, type: 'application/json', body: { fine: true } }
    const others = Array.from({ length: 5 }, () => sendRequest(`${pair.url}/r`))
    const answer = await sendRequest(`${pair.url}/r`, { headers: { 'x-fault': fault } })
    expectRefusal(answer, 500, 'PLUGIN_FAILED')
    expect(answer.body.toString()).not.toContain(SECRET)
    for (const { status } of await Promise.all(others)) expect(status).toBe(200)
    expect((await sendRequest(`${pair.url}/r`)).status).toBe(200)
    // Nothing of the request that failed was forwarded, and the log says why.
    expect(pair.upstream.requests).toHaveLength(6)
    expect(pair.upstream.requests.every(({ headers }) => headers['x-fault'] === undefined)).toBe(true)
    const lines = pair.log.filter(({ level }) => level === 'error')
    expect(lines).toMatchObject([{ msg: 'a plugin failed', plugin: 'prompt-sanitize', request_id: 'req-1' }])
    if (fault !== 'nothing') expect(JSON.stringify(lines)).toContain(SECRET)
    const scrape = await pair.metrics()
    expect(metricValue(scrape, 'agentic_requests_total', { route: 'GET', outcome: 'error' })).toBe(1)
    expect(metricValue(scrape, 'agentic_requests_total', { route: 'GET', outcome: 'success' })).toBe(6)
    expect(metricValue(scrape, 'agentic_gateway_requests_in_flight')).toBe(0)
    expect(seen.responses).toBe(7)
  })

  it.each(['response', 'async-response'])(
    'when it is told the end (%s) changes nothing for the client',
    async (fault) => {
      const pair = await startTypedPair()
      pair.next = { status: 200, type: 'application/json', body: { fine: true } }
      const answer = await sendRequest(`${pair.url}/r`, { headers: { 'x-fault': fault } })
      expect(answer).toMatchObject({ status: 200, complete: true })
      await expect.poll(() => pair.log.filter(({ level }) => level === 'error')).toHaveLength(1)
      // The plugins behind it are told all the same.
      await expect.poll(() => pair.audit).toHaveLength(1)
      expect((await sendRequest(`${pair.url}/r`)).status).toBe(200)
    },
  )
})
