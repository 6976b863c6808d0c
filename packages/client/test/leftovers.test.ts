import { getEventListeners } from 'node:events'
import { expect, test, vi } from 'vitest'
import { startRunService } from './run-service.ts'
import { sampleOutcomes } from './sample-outcomes.ts'
import { sendOutcome } from './scenario-service/send-outcome.ts'

test('requests, runs and streams leave nothing at a signal that outlives them', async () => {
  const { client } = await startRunService(({ url, trace }, response) => {
    if (url === '/events') response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: 1\n\n')
    else sendOutcome(response, trace, sampleOutcomes.success)
  })
  const { signal } = new AbortController()
  for (let count = 0; count < 20; count += 1) {
    await client.request({ method: 'GET', path: '/a', signal })
    await client.run({ method: 'POST', path: '/a', signal })
    for await (const _ of client.stream({ method: 'GET', path: '/events', signal }));
  }
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

test('a request that was answered leaves no timer', async () => {
  const { client } = await startRunService(({ trace }, response) =>
    sendOutcome(response, trace, sampleOutcomes.success),
  )
  const set = vi.spyOn(globalThis, 'setTimeout')
  const clear = vi.spyOn(globalThis, 'clearTimeout')
  await client.request({ method: 'GET', path: '/a', timeoutMs: 54_321 })
  const [ours] = set.mock.results.filter((_result, index) => set.mock.calls[index]?.[1] === 54_321)
  expect(ours).toBeDefined()
  expect(clear.mock.calls.map(([timer]) => timer)).toContain(ours?.value)
  vi.restoreAllMocks()
})
