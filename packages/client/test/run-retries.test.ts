import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { startRunService } from './run-service.ts'
import { sampleOutcomes } from './sample-outcomes.ts'
import { sendOutcome } from './scenario-service/send-outcome.ts'

const post = { method: 'POST', path: '/work', body: { a: 1 } }
const keyed = { ...post, idempotencyKey: 'mine' }

/** The test controls the time: on a busy machine a request could exceed its limit. */
function stopTime() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  return { pass: (ms: number) => void vi.advanceTimersByTime(ms) }
}

describe('a run whose connection breaks', () => {
  test('sends the same request again, with the same key, body and correlation id and another request id', async () => {
    const { client, requests } = await startRunService(({ trace }, response, count) => {
      if (count < 4) response.socket?.destroy()
      else sendOutcome(response, trace, sampleOutcomes.created)
    })
    expect(await client.run(keyed)).toEqual(sampleOutcomes.created)
    expect(requests.map(({ body }) => body)).toEqual(Array(4).fill('{"a":1}'))
    const distinct = (name: string) => new Set(requests.map(({ headers }) => headers[name])).size
    expect(['idempotency-key', 'x-correlation-id', 'x-request-id'].map(distinct)).toEqual([1, 1, 4])
  })

  test('gives up after the retries it may make, with the last error', async () => {
    const { client, requests, waits } = await startRunService((_request, response) =>
      response.socket?.destroy(),
    )
    await expect(client.run(keyed)).rejects.toMatchObject({ name: 'TransportError', code: 'NETWORK' })
    expect(requests).toHaveLength(4)
    expect(waits).toEqual([250, 500, 1000])
    await expect(client.run(keyed, { maxRetries: 0 })).rejects.toMatchObject({ code: 'NETWORK' })
    expect(requests).toHaveLength(5)
  })

  test('also tries again when there was no answer in time', async () => {
    const time = stopTime()
    const { client, requests } = await startRunService(({ trace }, response, count) => {
      if (count > 1) sendOutcome(response, trace, sampleOutcomes.success)
      else time.pass(500)
    })
    expect(await client.run({ ...keyed, timeoutMs: 500 })).toEqual(sampleOutcomes.success)
    expect(requests).toHaveLength(2)
  })

  test('keeps the key that the caller gave, by name or as a header', async () => {
    const { client, requests } = await startRunService(({ trace }, response, count) => {
      if (count % 2 === 1) response.socket?.destroy()
      else sendOutcome(response, trace, sampleOutcomes.success)
    })
    await client.run({ ...post, idempotencyKey: 'mine-1' })
    await client.run({ ...post, headers: { 'idempotency-key': 'mine-2', 'x-correlation-id': 'order-1' } })
    expect(requests.map(({ headers }) => headers['idempotency-key'])).toEqual([
      'mine-1',
      'mine-1',
      'mine-2',
      'mine-2',
    ])
    expect(requests.slice(2).map(({ trace }) => trace.correlationId)).toEqual(['order-1', 'order-1'])
  })

  test('sends a safe request without a key', async () => {
    const { client, requests } = await startRunService(({ trace }, response, count) => {
      if (count === 1) response.socket?.destroy()
      else sendOutcome(response, trace, sampleOutcomes.success)
    })
    expect(await client.run({ method: 'GET', path: '/stock' })).toEqual(sampleOutcomes.success)
    expect(requests.map(({ headers }) => headers['idempotency-key'])).toEqual([undefined, undefined])
  })
})

describe('a run with an effect, under a key that only the client made', () => {
  test.each([
    ['breaks', post],
    ['breaks under an empty key', { ...post, headers: { 'idempotency-key': '' } }],
    ['gives no answer in time', { ...post, timeoutMs: 500 }],
  ])(
    'is sent once when the connection %s, since nobody said that keys are honoured',
    async (_title, request) => {
      const time = stopTime()
      const { client, requests, waits } = await startRunService((_request, response) => {
        if ('timeoutMs' in request) time.pass(500)
        else response.socket?.destroy()
      })
      const code = 'timeoutMs' in request ? 'TIMEOUT' : 'NETWORK'
      await expect(client.run(request)).rejects.toMatchObject({ name: 'TransportError', code })
      expect(requests).toHaveLength(1)
      expect(requests[0]?.headers['idempotency-key']).toMatch(/./)
      expect(waits).toEqual([])
    },
  )

  test('is sent again under it with retryUnsafe', async () => {
    const { client, requests } = await startRunService(({ trace }, response, count) => {
      if (count < 3) response.socket?.destroy()
      else sendOutcome(response, trace, sampleOutcomes.created)
    })
    expect(await client.run(post, { retryUnsafe: true })).toEqual(sampleOutcomes.created)
    expect(requests).toHaveLength(3)
    expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
  })

  test('is sent once when its next round breaks', async () => {
    const { client, requests } = await startRunService(({ trace }, response, count) => {
      if (count > 1) response.socket?.destroy()
      else sendOutcome(response, trace, sampleOutcomes.clarification_required)
    })
    const work = client.run(post, { onClarification: () => ({ goal: 'ctr' }) })
    await expect(work).rejects.toMatchObject({ name: 'TransportError', code: 'NETWORK' })
    expect(requests).toHaveLength(2)
    expect(requests[1]?.headers['idempotency-key']).toBe(requests[0]?.headers['idempotency-key'])
  })
})

describe('a run is not repeated', () => {
  test('with retryUnsafe: false, whatever key the caller gave', async () => {
    const { client, requests } = await startRunService((_request, response) => response.socket?.destroy())
    await expect(client.run(keyed, { retryUnsafe: false })).rejects.toMatchObject({ code: 'NETWORK' })
    expect(requests).toHaveLength(1)
  })

  test('after an answer that is not of the profile', async () => {
    const { client, requests } = await startRunService((_request, response) =>
      response.writeHead(502).end('bad gateway'),
    )
    await expect(client.run(post)).rejects.toMatchObject({ name: 'ProfileViolationError', status: 502 })
    expect(requests).toHaveLength(1)
  })

  test('after an answer that is too large', async () => {
    const { client, requests } = await startRunService(
      ({ trace }, response) => sendOutcome(response, trace, { type: 'success', body: 'x'.repeat(2000) }),
      { maxResponseBytes: 1000 },
    )
    await expect(client.run(post)).rejects.toMatchObject({ code: 'RESPONSE_TOO_LARGE' })
    expect(requests).toHaveLength(1)
  })

  test.each(['failed_dependency', 'error', 'conflict', 'forbidden', 'validation_failed'] as const)(
    'after an outcome %s',
    async (type) => {
      const { client, requests } = await startRunService(({ trace }, response) =>
        sendOutcome(response, trace, sampleOutcomes[type]),
      )
      expect(await client.run(post)).toEqual(sampleOutcomes[type])
      expect(requests).toHaveLength(1)
    },
  )
})

test('a single request is never repeated, not even a safe one', async () => {
  const { client, requests } = await startRunService((_request, response) => response.socket?.destroy())
  await expect(client.request({ ...post, idempotencyKey: 'k' })).rejects.toMatchObject({ code: 'NETWORK' })
  expect(requests).toHaveLength(1)
  expect(requests[0]?.headers['idempotency-key']).toBe('k')
})
