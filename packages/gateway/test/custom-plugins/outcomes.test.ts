import { conditions, type Outcome, outcomes, writeOutcome } from '@agentic-rest/profile'
import { ids, sendRequest } from '@agentic-rest/testing/send-request'
import { expect, test } from 'vitest'
import { pluginOf, startWithPlugins } from './start-with-plugins.ts'

const input = {
  name: 'goal',
  location: 'body',
  type: 'string',
  required: true,
  question: 'Which goal?',
} as const

const every: { readonly [Type in Outcome['type']]: Extract<Outcome, { type: Type }> } = {
  success: { type: 'success', body: { cached: true } },
  created: { type: 'created', body: { id: '1' } },
  accepted: { type: 'accepted', operationId: 'op-1', statusUrl: '/operations/op-1/status' },
  clarification_required: { type: 'clarification_required', message: 'More.', requiredInputs: [input] },
  validation_failed: {
    type: 'validation_failed',
    message: 'Wrong.',
    errors: [{ field: '/goal', message: 'is too long' }],
  },
  approval_required: { type: 'approval_required', message: 'Ask.', approvalToken: 'a-1' },
  forbidden: { type: 'forbidden', code: 'OUT_OF_HOURS', message: 'Closed.' },
  conflict: { type: 'conflict', code: 'TAKEN', message: 'Taken.', conflictingResourceId: '7' },
  failed_dependency: { type: 'failed_dependency', code: 'CALENDAR_DOWN', message: 'No calendar.' },
  error: { type: 'error', code: 'BROKEN', message: 'Broken.' },
}

const ways: Readonly<Record<string, (outcome: Outcome) => unknown>> = {
  'at once': (outcome) => outcome,
  'as a promise': (outcome) => Promise.resolve(outcome),
  later: (outcome) => new Promise((resolve) => setImmediate(resolve, outcome)),
  // A promise of another library.
  'as a thenable': (outcome) =>
    Object.defineProperty({}, 'then', { value: (resolve: (value: Outcome) => void) => resolve(outcome) }),
}

test.each(Object.keys(ways))('each of the ten types can be returned, %s', async (way) => {
  const state: { next: Outcome } = { next: every.success }
  const plugin = pluginOf({ request: () => ways[way]?.(state.next) as Outcome })
  const { url, upstream } = await startWithPlugins([plugin])
  for (const outcome of Object.values(every)) {
    state.next = outcome
    const { status, headers, body } = await sendRequest(`${url}/items/1`)
    const expected = writeOutcome(outcome, ids)
    expect([status, headers['content-type'], body.toString()]).toEqual([
      outcomes[outcome.type].status,
      outcomes[outcome.type].mediaType,
      expected.body,
    ])
  }
  expect(upstream.requests).toEqual([])
})

test('an error with a condition has its status and its headers', async () => {
  const state: { next: Outcome } = { next: every.error }
  const { url } = await startWithPlugins([pluginOf({ request: () => state.next })])
  const send = async (condition: keyof typeof conditions, more: object = {}) => {
    state.next = { ...every.error, condition, ...more }
    const { status, headers } = await sendRequest(`${url}/items/1`)
    expect(status).toBe(conditions[condition])
    return headers
  }
  expect(await send('limit_exceeded', { retryAfter: 7 })).toMatchObject({ 'retry-after': '7' })
  expect(await send('unauthenticated')).toMatchObject({
    'www-authenticate': 'Bearer realm="agentic", error="invalid_token"',
  })
  expect(await send('unavailable')).toMatchObject({ 'retry-after': '1' })
  for (const condition of ['not_found', 'too_large'] as const) await send(condition)
  // The methods of the path's other routes: GET also serves HEAD.
  expect(await send('method_not_allowed')).toMatchObject({ allow: 'POST' })
})

test('nothing lets the request go on, at once or as a promise', async () => {
  const state: { next: undefined | Promise<undefined> } = { next: undefined }
  const { url, upstream } = await startWithPlugins([pluginOf({ request: () => state.next })])
  expect((await sendRequest(`${url}/items/1`)).status).toBe(200)
  state.next = Promise.resolve(undefined)
  expect((await sendRequest(`${url}/items/1`)).status).toBe(200)
  expect(upstream.requests).toHaveLength(2)
})

test('the outcome counts in the metrics under its own label', async () => {
  const { url, metrics } = await startWithPlugins([pluginOf({ request: () => every.conflict })])
  await sendRequest(`${url}/items/1`)
  expect(await metrics()).toMatch(/agentic_requests_total\{[^}]*outcome="conflict"[^}]*\} 1/)
})
