import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { startRunService } from './run-service.ts'
import { sampleConditions, sampleOutcomes } from './sample-outcomes.ts'
import { type Incoming, sendOutcome } from './scenario-service/send-outcome.ts'
import { impatientClock } from './scenarios/scenario.ts'

const post = { method: 'POST', path: '/refunds', body: { amount: 3 } }

/** Answers 412 until the request has the token. */
function gated({ trace, headers }: Incoming, response: ServerResponse): void {
  if (headers['x-approval-token'] === 'token-1') sendOutcome(response, trace, sampleOutcomes.created)
  else sendOutcome(response, trace, sampleOutcomes.approval_required)
}

describe('an approval', () => {
  test('that a person gave meanwhile lets the same request pass', async () => {
    const { client, requests, waits } = await startRunService(gated)
    const outcome = await client.run(post, {
      onApproval: async ({ message, approvalToken, approver, location }) => {
        expect({ message, approvalToken, approver, location }).toEqual({
          message: 'A manager has to agree.',
          approvalToken: 'token-1',
          approver: { name: 'manager' },
          location: undefined,
        })
        return true
      },
    })
    expect(outcome).toEqual(sampleOutcomes.created)
    expect(waits).toEqual([250])
    const [first, second] = requests
    expect(second?.body).toBe(first?.body)
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key'])
  })

  test('that was said to be given but was not is waited for, and not asked about again', async () => {
    const { client, requests, waits } = await startRunService(({ trace }, response) =>
      sendOutcome(response, trace, sampleOutcomes.approval_required, { 'retry-after': '2' }),
    )
    let asked = 0
    const onApproval = () => {
      asked += 1
      return true
    }
    const outcome = await client.run(post, { onApproval, maxWaitMs: 7000 })
    expect(outcome).toEqual(sampleOutcomes.approval_required)
    expect([asked, requests.length, waits]).toEqual([1, 5, [250, 2000, 2000, 2000]])
  })

  test('is not sent with a request that an answer has changed since', async () => {
    const { client, requests } = await startRunService(({ trace, headers, body }, response) => {
      if (headers['x-approval-token'] === undefined)
        return sendOutcome(response, trace, sampleOutcomes.approval_required)
      const isAnswered = body.includes('goal')
      sendOutcome(response, trace, sampleOutcomes[isAnswered ? 'created' : 'clarification_required'])
    })
    const outcome = await client.run(post, {
      onApproval: () => true,
      onClarification: () => ({ goal: 'ctr' }),
    })
    expect(outcome).toEqual(sampleOutcomes.created)
    expect(requests.map(({ headers }) => headers['x-approval-token'])).toEqual([
      undefined,
      'token-1',
      undefined,
      'token-1',
    ])
  })

  test('of each of two agents of a chain is collected, and both tokens are sent', async () => {
    const { client, requests } = await startRunService(({ url, trace, headers }, response) => {
      const [, kind, token] = url.split('/')
      if (kind === 'approvals')
        return sendOutcome(response, trace, { type: 'success', body: { state: 'approved' } })
      const tokens = String(headers['x-approval-token'] ?? '').split(', ')
      const missing = ['outer', 'inner'].find((each) => !tokens.includes(each))
      if (missing === undefined) return sendOutcome(response, trace, sampleOutcomes.created)
      sendOutcome(
        response,
        trace,
        { ...sampleOutcomes.approval_required, approvalToken: missing },
        { location: `/approvals/${token ?? missing}` },
      )
    })
    const asked: string[] = []
    const outcome = await client.run(post, {
      onApproval: ({ approvalToken }) => asked.push(approvalToken) > 0,
    })
    expect(outcome).toEqual(sampleOutcomes.created)
    expect(asked).toEqual(['outer', 'inner'])
    const sent = requests.filter(({ url }) => url === '/refunds')
    expect(sent.map(({ headers }) => headers['x-approval-token'])).toEqual([
      undefined,
      'outer',
      'inner, outer',
    ])
  })

  test('of two agents that both take it back in turn is waited for with growing pauses', async () => {
    const { client, waits } = await startRunService(({ trace }, response, count) =>
      sendOutcome(response, trace, {
        ...sampleOutcomes.approval_required,
        approvalToken: `token-${count % 2}`,
      }),
    )
    let asked = 0
    const outcome = await client.run(post, { onApproval: () => ++asked > 0, maxWaitMs: 5000 })
    expect(outcome.type).toBe('approval_required')
    expect([asked, waits]).toEqual([2, [250, 250, 500, 500, 1000, 1000]])
  })

  test('adds its token to those of the caller, eight at most', async () => {
    const { client, requests } = await startRunService(({ trace }, response, count) =>
      sendOutcome(response, trace, { ...sampleOutcomes.approval_required, approvalToken: `token-${count}` }),
    )
    await client.run({ ...post, approvalToken: 'mine yours' }, { onApproval: () => true })
    const lengths = requests.map(({ headers }) => String(headers['x-approval-token']).split(', ').length)
    expect(lengths).toEqual([1, 3, 4, 5, 6, 7, 8, 8, 8, 8, 8])
    expect(requests[1]?.headers['x-approval-token']).toBe('token-1, mine, yours')
    expect(String(requests.at(-1)?.headers['x-approval-token'])).toMatch(/^token-10, .* token-3$/)
  })

  test('with a new token each time is not waited for in a busy loop', async () => {
    const { client, waits } = await startRunService(({ trace }, response, count) =>
      sendOutcome(response, trace, { ...sampleOutcomes.approval_required, approvalToken: `token-${count}` }),
    )
    const outcome = await client.run(post, { onApproval: () => true, maxRounds: 3 })
    expect(outcome.type).toBe('approval_required')
    expect(waits).toEqual([250, 250, 250])
  })

  test('that is said to be approved while the service says otherwise is waited for, not hammered', async () => {
    const { client, waits } = await startRunService(({ url, trace }, response) => {
      if (url.startsWith('/approvals/'))
        return sendOutcome(response, trace, { type: 'success', body: { state: 'approved' } })
      sendOutcome(response, trace, sampleOutcomes.approval_required, { location: '/approvals/a1' })
    })
    const outcome = await client.run(post, { onApproval: () => true, maxWaitMs: 5000 })
    expect(outcome).toEqual(sampleOutcomes.approval_required)
    expect(waits).toEqual([250, 500, 1000, 2000])
  })

  test.each(['not_found', 'method_not_allowed'] as const)(
    'whose address is answered with %s is returned itself, names the address and is not sent again',
    async (condition) => {
      const { client, url, requests } = await startRunService((request, response) => {
        if (request.url === '/approvals/a1')
          return sendOutcome(response, request.trace, sampleConditions[condition])
        sendOutcome(response, request.trace, sampleOutcomes.approval_required, { location: '/approvals/a1' })
      })
      const outcome = await client.run(post, { onApproval: () => true, retryUnsafe: true })
      expect(outcome).toEqual(sampleOutcomes.approval_required)
      expect(outcome.unreachable).toBe(`${url}/approvals/a1`)
      expect(outcome.answer.status).toBe(412)
      expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
        'POST /refunds',
        'GET /approvals/a1',
      ])
    },
  )

  test('that nobody decides is left when the patience is used up', async () => {
    const { client, requests, waits } = await startRunService(({ url, trace }, response) => {
      if (url.startsWith('/approvals/'))
        return sendOutcome(response, trace, { type: 'success', body: { status: 'pending' } })
      sendOutcome(response, trace, sampleOutcomes.approval_required, { location: '/approvals/a1' })
    })
    const outcome = await client.run(post, { onApproval: () => true, maxWaitMs: 2000 })
    expect(outcome).toEqual(sampleOutcomes.approval_required)
    expect(waits).toEqual([250, 500, 1000])
    expect(requests.filter(({ url }) => url === '/refunds')).toHaveLength(1)
  })

  test('whose handler fails ends the run with that error', async () => {
    const { client } = await startRunService(gated)
    const onApproval = () => Promise.reject(new RangeError('mine'))
    await expect(client.run(post, { onApproval })).rejects.toThrow(new RangeError('mine'))
  })

  test('whose handler never answers ends when the caller leaves', async () => {
    const { client } = await startRunService(gated)
    const controller = new AbortController()
    const onApproval = () => {
      controller.abort('enough')
      return new Promise<never>(() => undefined)
    }
    await expect(client.run({ ...post, signal: controller.signal }, { onApproval })).rejects.toMatchObject({
      code: 'ABORTED',
      cause: 'enough',
    })
  })
})

describe("onApproval: 'wait'", () => {
  /** A service whose approval has one state after the other, each for one look; the last stays. */
  function decidedAs(states: readonly string[], retryAfter?: string) {
    const left = [...states]
    const told = retryAfter === undefined ? {} : { 'retry-after': retryAfter }
    return function answer({ url, trace, headers }: Incoming, response: ServerResponse): void {
      if (url !== '/approvals/a1') {
        const sent = left[0] === 'approved' ? sampleOutcomes.created : sampleOutcomes.forbidden
        const outcome = headers['x-approval-token'] === 'token-1' ? sent : sampleOutcomes.approval_required
        sendOutcome(response, trace, outcome, { location: '/approvals/a1' })
        return
      }
      const [state] = left.length > 1 ? left.splice(0, 1) : left
      sendOutcome(response, trace, { type: 'success', body: { state } }, told)
    }
  }

  test('looks at the approval with growing pauses and sends the request after the decision', async () => {
    const { client, requests, waits } = await startRunService(
      decidedAs(['pending', 'pending', 'pending', 'approved']),
    )
    expect(await client.run(post, { onApproval: 'wait' })).toEqual(sampleOutcomes.created)
    expect(waits).toEqual([250, 500, 1000, 2000])
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /refunds',
      ...Array(4).fill('GET /approvals/a1'),
      'POST /refunds',
    ])
  })

  test.each(['rejected', 'expired', 'withdrawn', 'used'])(
    'ends at once when it is %s, with the outcome',
    async (state) => {
      const { client, requests, waits } = await startRunService(decidedAs([state]))
      expect(await client.run(post, { onApproval: 'wait' })).toEqual(sampleOutcomes.forbidden)
      expect([requests.length, waits]).toEqual([3, [250]])
    },
  )

  test('pauses as long as Retry-After says', async () => {
    const { client, waits } = await startRunService(decidedAs(['pending', 'pending', 'approved'], '7'))
    expect(await client.run(post, { onApproval: 'wait' })).toEqual(sampleOutcomes.created)
    expect(waits).toEqual([250, 7000, 7000])
  })

  test('ends with the 412 after ten minutes, or after approvalWaitMs, whatever maxWaitMs is', async () => {
    for (const [options, limit] of [
      [{}, 600_000],
      [{ approvalWaitMs: 4000 }, 4000],
      [{ approvalWaitMs: 4000, maxWaitMs: 0 }, 4000],
    ] as const) {
      const { client, waits } = await startRunService(decidedAs(['pending']))
      const outcome = await client.run(post, { onApproval: 'wait', ...options })
      expect(outcome).toEqual(sampleOutcomes.approval_required)
      const waited = waits.reduce((sum, each) => sum + each, 0)
      expect(waited).toBeLessThanOrEqual(limit)
      expect(waited + 10_000).toBeGreaterThan(limit)
    }
  })

  test('counts the time of slow looks, and a clock that is set back adds none', async () => {
    for (const [lookMs, looks] of [
      [30_000, 3],
      [-30_000, 8],
    ] as const) {
      let now = Date.UTC(2026, 0, 1)
      const clock = { ...impatientClock(), now: () => now }
      const answer = decidedAs(['pending'])
      const { client, requests } = await startRunService(
        (request, response) => {
          if (request.url === '/approvals/a1') now += lookMs
          answer(request, response)
        },
        { clock },
      )
      const outcome = await client.run(post, { onApproval: 'wait', approvalWaitMs: 40_000 })
      expect(outcome).toEqual(sampleOutcomes.approval_required)
      expect(requests.filter(({ method }) => method === 'GET').length).toBeLessThanOrEqual(looks)
    }
  })

  test('leaves the time for other waits alone, also with a handler', async () => {
    const { client } = await startRunService(decidedAs(['pending', 'pending', 'approved']))
    const outcome = await client.run(post, { onApproval: () => true, approvalWaitMs: 5000, maxWaitMs: 0 })
    expect(outcome).toEqual(sampleOutcomes.created)
  })

  test('ends with the signal of the caller', async () => {
    const stop = new AbortController()
    const { client } = await startRunService((request, response) => {
      if (request.url === '/approvals/a1') stop.abort(new Error('enough'))
      decidedAs(['pending'])(request, response)
    })
    const run = client.run(post, { onApproval: 'wait', signal: stop.signal })
    await expect(run).rejects.toMatchObject({ name: 'TransportError', code: 'ABORTED' })
  })
})
