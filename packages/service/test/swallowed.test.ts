import { startService } from '@agentic-rest/testing/start-service'
import { answerTyped, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, it } from 'vitest'
import { defineOperation, failedDependency, type Outcome, type RunContext, success } from '../src/index.ts'
import { createCallTracker } from '../src/testing.ts'
import { ask } from './harness/ask.ts'

const down: [number, string, object] = [
  424,
  'application/vnd.agentic.error+json',
  { type: 'failed_dependency', code: 'DB_DOWN', message: 'm' },
]
const fine: [number, string, object] = [200, 'application/json', { available: 3 }]

/** Runs an operation that calls an inner agent once; returns the tracker's findings. */
async function track(
  row: [number, string, object],
  run: (inner: Outcome, context: RunContext<undefined>) => Outcome,
) {
  const inner = await startUpstream((request, response) => answerTyped(request, response, row))
  const tracker = createCallTracker()
  const outer = defineOperation({
    id: 'outer',
    method: 'POST',
    path: '/outer',
    async run(context) {
      const outcome = await context.call({ baseUrl: inner.url, method: 'GET', path: '/stock' })
      return run(outcome, context)
    },
  })
  const { url } = await startService({ operations: [outer], callObserver: tracker })
  const answer = await ask(`${url}/outer`, { method: 'POST' })
  return { tracker, answer }
}

it.each<
  [string, [number, string, object], (inner: Outcome, context: RunContext<undefined>) => Outcome, number]
>([
  ['propagated', down, (inner, { propagate }) => propagate(inner), 424],
  ['returned as it is', down, (inner) => inner, 424],
  [
    'turned into an own outcome',
    down,
    (inner) => (inner.type === 'success' ? inner : failedDependency({ code: 'STOCK', message: 'm' })),
    424,
  ],
  ['used', fine, (inner) => success(inner.type === 'success' ? inner.body : null), 200],
])('an inner outcome that is %s was not swallowed', async (_title, row, run, status) => {
  const { tracker, answer } = await track(row, run)
  expect(answer.status).toBe(status)
  expect(tracker.swallowed()).toEqual([])
  expect(() => tracker.assertNothingSwallowed()).not.toThrow()
})

it('an inner outcome that nobody looks at fails the test', async () => {
  const { tracker } = await track(fine, () => success({}))
  expect(tracker.swallowed()).toEqual([
    { operation: 'outer', call: 'GET /stock', inner: 'success', answered: 'success', reason: 'never read' },
  ])
  expect(() => tracker.assertNothingSwallowed()).toThrow(
    'inner outcomes were swallowed:\nouter: success of GET /stock was never read (answered success)',
  )
})

it('a failed dependency that becomes a success fails the test, although it was looked at', async () => {
  const { tracker } = await track(down, (inner) =>
    success({ stock: inner.type === 'success' ? 'known' : 'unknown' }),
  )
  expect(() => tracker.assertNothingSwallowed()).toThrow(
    'inner outcomes were swallowed:\nouter: failed_dependency of GET /stock was turned into a success (answered success)',
  )
})
