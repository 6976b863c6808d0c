import type { ServerResponse } from 'node:http'
import type { Outcome } from '@agentic-rest/profile'
import { describe, expect, test } from 'vitest'
import { startRunService } from './run-service.ts'
import { sampleConditions, sampleOutcomes } from './sample-outcomes.ts'
import { type Incoming, sendOutcome } from './scenario-service/send-outcome.ts'

const post = { method: 'POST', path: '/work', body: { a: 1 } }
const statusOf = (more: object) => ({
  operationId: 'op-1',
  statusUrl: '/operations/op-1/status',
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
  ...more,
})

/** Accepts an operation; its status comes from the test. */
function accepting(status: object | Outcome, fields: Record<string, string> = {}) {
  return ({ url, trace }: Incoming, response: ServerResponse) => {
    if (url === '/work') return sendOutcome(response, trace, sampleOutcomes.accepted)
    const outcome = 'type' in status ? (status as Outcome) : { type: 'success' as const, body: status }
    sendOutcome(response, trace, outcome, fields)
  }
}

/** Accepts all operations; each waits for the same input. */
function waiting(
  outcome: 'clarification_required' | 'approval_required',
  fields: Record<string, string> = {},
) {
  const result = { ...sampleOutcomes[outcome], code: outcome.toUpperCase() }
  return accepting(statusOf({ status: 'input_required', outcome, result }), fields)
}

const sent = (requests: readonly Incoming[]) => requests.filter(({ url }) => url === '/work')

describe('an operation', () => {
  test('is polled by the same caller with the same correlation id and without inputs or key', async () => {
    const { client, requests } = await startRunService(
      accepting(statusOf({ status: 'completed', outcome: 'success', result: { n: 1 } })),
      { token: 'secret', tenantId: 'acme' },
    )
    const outcome = await client.run({
      ...post,
      headers: { 'X-Actor-Principal': 'alice' },
      correlationId: 'c-1',
    })
    expect(outcome).toEqual({ type: 'success', body: { n: 1 } })
    const [, poll] = requests
    expect(poll).toMatchObject({ method: 'GET', url: '/operations/op-1/status', body: '' })
    expect(poll?.headers).toMatchObject({
      authorization: 'Bearer secret',
      'x-tenant-id': 'acme',
      'x-actor-principal': 'alice',
      'x-correlation-id': 'c-1',
    })
    expect(poll?.headers['idempotency-key']).toBeUndefined()
    expect(poll?.trace.requestId).not.toBe(requests[0]?.trace.requestId)
  })

  test.each([sampleConditions.not_found, sampleConditions.method_not_allowed])(
    'whose status is answered with $code at once is returned itself, names the address and is not sent again',
    async (outcome) => {
      const { client, url, requests } = await startRunService(accepting(outcome))
      const result = await client.run(post, { retryUnsafe: true })
      expect(result).toEqual(sampleOutcomes.accepted)
      expect(result.unreachable).toBe(`${url}/operations/op-1/status`)
      expect(result.answer.status).toBe(202)
      expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
        'POST /work',
        'GET /operations/op-1/status',
      ])
    },
  )

  test('whose status is gone after it was there ends with that outcome', async () => {
    const { client } = await startRunService((request, response, count) =>
      accepting(count < 3 ? statusOf({ status: 'working' }) : sampleConditions.not_found)(request, response),
    )
    const result = await client.run(post)
    expect(result).toEqual(sampleConditions.not_found)
    expect(result.unreachable).toBeUndefined()
  })

  test.each([
    ['forbidden', sampleOutcomes.forbidden],
    ['broken', sampleOutcomes.error],
  ])('whose status is %s ends with that outcome', async (_title, outcome) => {
    const { client } = await startRunService(accepting(outcome))
    expect(await client.run(post)).toEqual(outcome)
  })

  test.each([
    ['no status', { hello: 'world' }],
    ['an unknown state', statusOf({ status: 'paused' })],
    ['an end without an outcome', statusOf({ status: 'completed', result: 1 })],
    [
      'a result that is not the outcome’s',
      statusOf({ status: 'failed', outcome: 'error', result: { a: 1 } }),
    ],
  ])('with %s is a profile violation', async (_title, status) => {
    const { client } = await startRunService(accepting(status))
    await expect(client.run(post)).rejects.toMatchObject({
      name: 'ProfileViolationError',
      code: 'PROFILE_VIOLATION',
    })
  })

  test('that says "at once" for ever is polled more and more seldom, and left in the end', async () => {
    const { client, waits } = await startRunService(
      accepting(statusOf({ status: 'working' }), { 'retry-after': '0' }),
    )
    expect(await client.run(post, { maxWaitMs: 20_000 })).toEqual(sampleOutcomes.accepted)
    expect(waits).toEqual([250, 500, 1000, 2000, 4000, 8000])
  })

  test('that says it is an operation again is not followed for ever', async () => {
    const { client, requests } = await startRunService(
      accepting(
        statusOf({
          status: 'completed',
          outcome: 'accepted',
          result: { type: 'operation_accepted', operationId: 'op-2', statusUrl: '/operations/op-2/status' },
        }),
      ),
    )
    expect(await client.run(post)).toMatchObject({ type: 'accepted', operationId: 'op-2' })
    expect(requests).toHaveLength(2)
  })

  test('that waits for inputs gives the question to a caller without a handler, or whose handler declines', async () => {
    const { client, requests } = await startRunService(waiting('clarification_required'))
    const asked: unknown[] = []
    expect(await client.run(post)).toEqual(sampleOutcomes.clarification_required)
    const outcome = await client.run(post, { onClarification: (each) => void asked.push(each) })
    expect(outcome).toEqual(sampleOutcomes.clarification_required)
    expect(asked).toEqual([sampleOutcomes.clarification_required])
    expect(sent(requests)).toHaveLength(2)
  })

  test('that waits for something it does not name is polled on', async () => {
    const { client, waits } = await startRunService(accepting(statusOf({ status: 'input_required' })))
    expect(await client.run(post, { maxWaitMs: 1000 })).toEqual(sampleOutcomes.accepted)
    expect(waits).toEqual([250, 500])
  })
})

/** The operation of the first key ends with a question; a request with another key and the answer succeeds at once. */
function asking({ url, trace, body, headers }: Incoming, response: ServerResponse) {
  const question = { ...sampleOutcomes.clarification_required, code: 'CLARIFICATION_REQUIRED' }
  if (url !== '/work')
    return sendOutcome(response, trace, {
      type: 'success',
      body: statusOf({ status: 'failed', outcome: 'clarification_required', result: question }),
    })
  if (!body.includes('goal')) return sendOutcome(response, trace, sampleOutcomes.accepted)
  sendOutcome(response, trace, { type: 'created', body: { key: headers['idempotency-key'] ?? null } })
}

describe('an operation that ended with a question', () => {
  test('is answered under another key, because its own is used up', async () => {
    const { client, requests } = await startRunService(asking)
    const outcome = await client.run(post, { onClarification: () => ({ goal: 'ctr' }) })
    const keys = requests
      .filter(({ url }) => url === '/work')
      .map(({ headers }) => headers['idempotency-key'])
    expect(new Set(keys).size).toBe(2)
    expect(outcome).toEqual({ type: 'created', body: { key: keys[1] } })
  })

  test('is left to a caller that chose the key', async () => {
    const { client, requests } = await startRunService(asking)
    const outcome = await client.run(
      { ...post, idempotencyKey: 'mine' },
      { onClarification: () => ({ goal: 'ctr' }) },
    )
    expect(outcome).toEqual(sampleOutcomes.clarification_required)
    expect(requests.filter(({ url }) => url === '/work')).toHaveLength(1)
  })
})

describe('an operation that waits for inputs', () => {
  test.each([
    ['the key that the client made', undefined],
    ['the key that the caller chose', 'mine'],
  ])('is begun anew with the answer under %s', async (_title, idempotencyKey) => {
    const ask = waiting('clarification_required')
    const { client, requests } = await startRunService((request, response) => {
      if (!request.body.includes('goal')) return ask(request, response)
      sendOutcome(response, request.trace, sampleOutcomes.created)
    })
    const outcome = await client.run(
      { ...post, idempotencyKey },
      { onClarification: () => ({ goal: 'ctr' }) },
    )
    expect(outcome).toEqual(sampleOutcomes.created)
    expect(sent(requests).map(({ body }) => body)).toEqual(['{"a":1}', '{"a":1,"goal":"ctr"}'])
    const [first, second] = sent(requests).map(({ headers }) => headers['idempotency-key'])
    expect([second, second === undefined]).toEqual([idempotencyKey ?? first, false])
  })

  test('again and again is left after the last round', async () => {
    const { client, requests } = await startRunService(waiting('clarification_required'))
    const outcome = await client.run(post, { maxRounds: 3, onClarification: () => ({ goal: 'ctr' }) })
    expect(outcome).toEqual(sampleOutcomes.clarification_required)
    expect(sent(requests)).toHaveLength(4)
  })
})

describe('an operation that waits for an approval', () => {
  const approved = ({ headers }: Incoming) => headers['x-approval-token'] === 'token-1'

  test('is begun anew with the approval, under its key', async () => {
    const ask = waiting('approval_required')
    const { client, requests } = await startRunService((request, response) => {
      if (!approved(request)) return ask(request, response)
      sendOutcome(response, request.trace, sampleOutcomes.created)
    })
    expect(await client.run(post, { onApproval: () => true })).toEqual(sampleOutcomes.created)
    expect(sent(requests).map(approved)).toEqual([false, true])
    expect(new Set(sent(requests).map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
  })

  test('is begun anew only once the approval is decided, where that can be seen', async () => {
    const ask = waiting('approval_required', { location: '/approvals/a1' })
    let looks = 0
    const { client, requests, url } = await startRunService((request, response) => {
      if (approved(request)) return sendOutcome(response, request.trace, sampleOutcomes.created)
      if (request.url !== '/approvals/a1') return ask(request, response)
      looks += 1
      const state = looks < 3 ? 'pending' : 'approved'
      sendOutcome(response, request.trace, { type: 'success', body: { state } })
    })
    const places: unknown[] = []
    const onApproval = ({ location }: { location: string | undefined }) => places.push(location) > 0
    expect(await client.run(post, { onApproval })).toEqual(sampleOutcomes.created)
    expect([places, looks, sent(requests).length]).toEqual([[`${url}/approvals/a1`], 3, 2])
  })

  test('for ever is asked about once, begun anew more and more seldom, and left after the last round', async () => {
    const { client, requests, waits } = await startRunService(
      waiting('approval_required', { 'retry-after': '1' }),
    )
    let asked = 0
    const onApproval = () => {
      asked += 1
      return true
    }
    const outcome = await client.run(post, { onApproval, maxRounds: 3 })
    expect(outcome).toEqual(sampleOutcomes.approval_required)
    expect([asked, sent(requests).length]).toEqual([1, 4])
    // In turns for the status and the approval. The Retry-After of the status does not apply to the approval.
    expect(waits).toEqual([250, 250, 250, 500, 250, 1000, 250])
  })

  test('that the caller does not wait for is the result', async () => {
    const { client, requests } = await startRunService(waiting('approval_required'))
    expect(await client.run(post)).toEqual(sampleOutcomes.approval_required)
    expect(await client.run(post, { onApproval: () => false })).toEqual(sampleOutcomes.approval_required)
    expect(sent(requests)).toHaveLength(2)
  })
})
