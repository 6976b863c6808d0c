import { request as httpRequest } from 'node:http'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { expect, test } from 'vitest'
import { expectRefusal } from '../harness/expect-refusal.ts'
import { pluginOf, startWithPlugins } from './start-with-plugins.ts'

const forever = () => new Promise<never>(() => undefined)

/** A plugin that answers only when a test says so. */
function waitingPlugin() {
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<undefined>()
  const plugin = pluginOf({
    request() {
      asked.resolve()
      return answer.promise
    },
  })
  return { plugin, asked: asked.promise, answer }
}

test('a plugin that never answers ends with the deadline of the route', async () => {
  const { url, upstream, metrics } = await startWithPlugins([pluginOf({ request: forever })], {
    route: { executionTimeoutSeconds: 1 },
  })
  expectRefusal(await sendRequest(`${url}/items/1`), 500, 'EXECUTION_TIMEOUT')
  expect(upstream.requests).toEqual([])
  expect(metricValue(await metrics(), 'agentic_gateway_requests_in_flight')).toBe(0)
})

test('an answer after the deadline starts nothing: neither later plugins nor the upstream', async () => {
  const { plugin, answer } = waitingPlugin()
  const passed: string[] = []
  const later = pluginOf({ request: () => void passed.push('later') }, 'later')
  const { url, upstream, log } = await startWithPlugins([plugin, later], {
    route: { executionTimeoutSeconds: 1 },
  })
  expectRefusal(await sendRequest(`${url}/items/1`), 500, 'EXECUTION_TIMEOUT')
  answer.resolve(undefined)
  // A second request shows that everything the first one could start has had its turn.
  expect((await sendRequest(`${url}/items/2`)).status).toBe(200)
  expect(passed).toEqual(['later'])
  expect(upstream.requests.map(({ url: path }) => path)).toEqual(['/items/2'])
  expect(log.filter(({ level }) => level === 'error')).toEqual([])
})

test('a plugin that gives up because its client left has not failed', async () => {
  const asked = Promise.withResolvers<void>()
  const left = Promise.withResolvers<unknown>()
  const plugin = pluginOf({
    request: ({ signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reject(signal.reason)
          left.resolve(signal.reason)
        })
        asked.resolve()
      }),
  })
  const { url, log, metrics } = await startWithPlugins([plugin])
  const request = httpRequest(`${url}/items/1`, { headers: { 'x-tenant-id': 'acme' } }).end()
  request.on('error', () => undefined)
  await asked.promise
  request.destroy()
  expect(await left.promise).toMatchObject({
    name: 'AbortError',
    message: 'the request has ended: client_disconnect',
  })
  await expect
    .poll(async () =>
      metricValue(await metrics(), 'agentic_requests_total', { outcome: 'client_disconnect' }),
    )
    .toBe(1)
  expect(log.filter(({ level }) => level === 'error')).toEqual([])
})

test('a plugin that never answers does not keep a gateway from closing', async () => {
  const { plugin, asked } = waitingPlugin()
  const { gateway, url } = await startWithPlugins([plugin], { gateway: { drain_seconds: 1 } })
  const answer = sendRequest(`${url}/items/1`)
  await asked
  await gateway.drain()
  expectRefusal(await answer, 503, 'SHUTTING_DOWN')
})
