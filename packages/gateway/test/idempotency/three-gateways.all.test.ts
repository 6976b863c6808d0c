import { eventually } from '@agentic-rest/testing/eventually'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, onTestFinished } from 'vitest'
import { quickTimes } from '../shared-limits/quick-times.ts'
import { startSharedProcess } from '../shared-limits/start-shared-process.ts'
import { testWithRedis } from '../shared-limits/with-redis.ts'
import { codeOf } from './keyed.ts'

testWithRedis(
  'a key over three gateways has one call, and is unknown when its gateway is killed before the answer',
  async (startRedis) => {
    const redis = await startRedis()
    const release = Promise.withResolvers<void>()
    const service = await startUpstream(async (_request, response) => {
      const n = service.requests.length
      // The service has the second request, that of the killed gateway, and never answers.
      await (n === 1 ? release.promise : new Promise(() => undefined))
      answerJson(response, { status: 201, body: { n } })
    })
    const config = {
      gateway: { shared: { redis_url: redis.url }, idempotency: { store: 'shared' } },
      routes: [
        {
          id: 'book',
          method: 'POST',
          path: '/bookings',
          target: service.url,
          idempotency: { mode: 'required' },
        },
      ],
    }
    // Above the time that a busy machine needs for a hundred requests.
    const times = { ...quickTimes, answerWithinMs: 10_000 }
    const gateways = await Promise.all([1, 2, 3].map(() => startSharedProcess(config, times)))
    onTestFinished(async () => void (await Promise.all(gateways.map((gateway) => gateway.kill()))))
    const book = (index: number, key: string) =>
      sendRequest(`${gateways[index % 3]?.url}/bookings`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': key },
        body: '{}',
      })
    let refused = 0
    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const answer = await book(index, 'one')
        if (answer.status === 409) refused += 1
        if (refused === 99) release.resolve()
        return codeOf(answer)
      }),
    )
    expect(answers.filter(([status]) => status === 201)).toHaveLength(1)
    expect(answers.filter(([, code]) => code === 'IDEMPOTENCY_IN_PROGRESS')).toHaveLength(99)
    const replays = await Promise.all([0, 1, 2].map((index) => book(index, 'one')))
    expect(replays.map(({ body }) => body.toString())).toEqual(['{"n":1}', '{"n":1}', '{"n":1}'])
    expect(service.requests).toHaveLength(1)

    const lost = book(0, 'two').catch(() => 'lost')
    await eventually(
      () => service.requests.length,
      (count) => count === 2,
    )
    await gateways[0]?.kill()
    expect(await lost).toBe('lost')
    expect(codeOf(await book(1, 'two'))).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
    const retry = await eventually(
      async () => codeOf(await book(2, 'two')),
      ([, code]) => code !== 'IDEMPOTENCY_IN_PROGRESS',
    )
    expect(retry).toEqual([409, 'IDEMPOTENCY_OUTCOME_UNKNOWN'])
    expect(service.requests).toHaveLength(2)
  },
)
