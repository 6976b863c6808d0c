import type { OperationStatus, PendingApproval, RunOptions } from '../../src/index.ts'
import { sampleOutcomes } from '../sample-outcomes.ts'
import { clientAt, errorOf, impatientClock, type Place, type Scenario, same } from './scenario.ts'

/** Requests that `run` follows to their end. */
export const runScenarios: readonly Scenario[] = [
  {
    title: 'answers go where they were asked for, under one key and one correlation id',
    async run(place) {
      const questions: string[] = []
      const outcome = await clientAt(place).run(
        { method: 'POST', path: '/campaigns/{campaignId}/optimizations', params: { campaignId: 'draft' } },
        {
          onClarification({ requiredInputs }) {
            questions.push(...requiredInputs.map(({ question }) => question))
            return { goal: 'ctr', dryRun: ['yes', 'no'], campaignId: 'c 1?ü' }
          },
        },
      )
      same(questions, ['Which goal?', 'Which dryRun?', 'Which campaignId?'])
      const body = { campaignId: 'c 1?ü', goal: 'ctr', dryRun: ['yes', 'no'], plan: null, rounds: 2, keys: 1 }
      same(outcome, { type: 'created', body })
    },
  },
  {
    title: 'an answer can go into a header',
    direct: true,
    async run(place) {
      const outcome = await clientAt(place).run(
        {
          method: 'POST',
          path: '/campaigns/with-header/optimizations',
          body: { goal: 'ctr' },
          query: { dryRun: 'no' },
        },
        { onClarification: () => ({ 'X-Plan': 'gold' }) },
      )
      const body = {
        campaignId: 'with-header',
        goal: 'ctr',
        dryRun: ['no'],
        plan: 'gold',
        rounds: 2,
        keys: 1,
      }
      same(outcome, { type: 'created', body })
    },
  },
  {
    title: 'without an answer the clarification is the result',
    async run(place) {
      const run = (onClarification?: RunOptions['onClarification']) =>
        clientAt(place).run({ method: 'POST', path: '/campaigns/c1/optimizations' }, { onClarification })
      same((await run()).type, 'clarification_required')
      same((await run(() => undefined)).type, 'clarification_required')
      same((await run(() => ({ colour: 'red' }))).type, 'clarification_required')
    },
  },
  {
    title: 'an input that would replace the token is never asked for',
    async run(place) {
      let asked = false
      const outcome = await clientAt(place).run(
        { method: 'POST', path: '/campaigns/greedy/optimizations', body: { goal: 'ctr' } },
        {
          onClarification() {
            asked = true
            return { Authorization: 'Bearer stolen' }
          },
        },
      )
      same([outcome.type, asked], ['clarification_required', false])
    },
  },
  {
    title: 'a service that asks for ever is left after the last round',
    async run(place) {
      let asked = 0
      const outcome = await clientAt(place).run(
        { method: 'POST', path: '/campaigns/{campaignId}/optimizations', params: { campaignId: 'draft' } },
        {
          maxRounds: 3,
          onClarification() {
            asked += 1
            return { campaignId: 'draft' }
          },
        },
      )
      same([outcome.type, asked], ['clarification_required', 3])
    },
  },
  {
    title: 'an approval is waited for where it can be seen, then the request is sent again',
    async run(place) {
      const { outcome, waits, approvals } = await refund(place, 'seen')
      same(outcome, { type: 'created', body: { paid: true, looks: 2, tries: 2, keys: 1 } })
      // First with backoff, then by the Retry-After of the approval.
      same(waits, [250, 3000])
      same(approvals.length, 1)
      same(approvals[0]?.approver, { name: 'manager' })
      same(approvals[0]?.location?.startsWith(`${place.baseUrl}/approvals/seen-`), true)
    },
  },
  {
    title: 'an approval that cannot be seen is waited for by sending the request again',
    async run(place) {
      for (const kind of ['unseen', 'without-location', 'foreign']) {
        const { outcome, waits, approvals } = await refund(place, kind)
        same(outcome, {
          type: 'created',
          body: { paid: true, looks: kind === 'unseen' ? 1 : 0, tries: 4, keys: 1 },
        })
        same(waits, [250, 500, 1000])
        same([approvals.length, approvals[0]?.location === undefined], [1, kind !== 'unseen'])
      }
    },
  },
  {
    title: 'a rejected approval ends with what the service says of it',
    async run(place) {
      const { outcome } = await refund(place, 'rejected')
      same(outcome, { type: 'forbidden', code: 'APPROVAL_INVALID', message: 'Rejected.' })
    },
  },
  {
    title: 'an approval that nobody waits for is the result',
    async run(place) {
      same((await refund(place, 'seen', false)).outcome.type, 'approval_required')
      same((await clientAt(place).run({ method: 'POST', path: '/refunds/seen' })).type, 'approval_required')
    },
  },
  {
    title: 'an operation is polled as it asks, and its result is the outcome',
    async run(place) {
      const { outcome, waits, progress } = await report(place, 'completed')
      same(outcome, { type: 'created', body: { report: 'r-1' } })
      same(waits, [1000, 1000, 2000])
      same(
        progress.map(({ status, progress: part }) => [status, part]),
        [
          ['working', { percent: 40 }],
          ['working', { percent: 80 }],
          ['completed', null],
        ],
      )
    },
  },
  {
    title: 'an operation that failed or was cancelled gives the outcome that it failed with',
    async run(place) {
      same((await report(place, 'failed')).outcome, sampleOutcomes.failed_dependency)
      same((await report(place, 'cancelled')).outcome, sampleOutcomes.error)
    },
  },
  {
    title: 'an operation that waits for an approval is begun anew with it when the caller waits too',
    async run(place) {
      const { outcome, approvals } = await report(place, 'approval')
      same(outcome, { type: 'success', body: { report: 'r-2' } })
      same(approvals.length, 1)
    },
  },
  {
    title: 'an operation that does not end is left when the patience is used up',
    async run(place) {
      const { outcome, waits } = await report(place, 'endless', 5000)
      same(outcome.type, 'accepted')
      same(waits.reduce((sum, wait) => sum + wait, 0) <= 5000, true)
    },
  },
  {
    title: 'a status at another origin is never asked for',
    async run(place) {
      const error = await errorOf(report(place, 'foreign'))
      same([error['name'], error['code']], ['TransportError', 'FOREIGN_ORIGIN'])
      same((error['outcome'] as { type: string }).type, 'accepted')
    },
  },
  ...[
    { kind: 'limited', waits: [2000, 2000] },
    { kind: 'unavailable', waits: [1000, 1000] },
    { kind: 'in-progress', waits: [250, 500] },
  ].map(
    ({ kind, waits }): Scenario => ({
      title: `an answer ${kind} is waited for, under one key`,
      async run(place) {
        const clock = impatientClock()
        const outcome = await clientAt(place, { clock }).run({ method: 'POST', path: `/flaky/${kind}` })
        same(outcome, { type: 'success', body: { tries: 3, keys: 1, requestIds: 3 } })
        same(clock.waits, waits)
      },
    }),
  ),
  {
    title: 'a broken connection is tried again with back-off, under one key',
    direct: true,
    async run(place) {
      const clock = impatientClock()
      const outcome = await clientAt(place, { clock }).run(
        { method: 'POST', path: '/flaky/cut' },
        { retryUnsafe: true },
      )
      same(outcome.type, 'success')
      // Browsers and Node may retry on a new connection themselves, in addition to the client's retries.
      same(
        clock.waits.every((wait, index) => wait === 250 * 2 ** index),
        true,
      )
    },
  },
  {
    title: 'a wait that is longer than the patience is not begun',
    async run(place) {
      const clock = impatientClock()
      const outcome = await clientAt(place, { clock }).run(
        { method: 'POST', path: '/flaky/limited' },
        { maxWaitMs: 1999 },
      )
      same([outcome.type, clock.waits], ['error', []])
    },
  },
  {
    title: 'a caller that leaves ends the wait',
    async run(place) {
      const controller = new AbortController()
      const work = clientAt(place).run(
        { method: 'POST', path: '/reports/endless' },
        { signal: controller.signal, onProgress: () => controller.abort('enough') },
      )
      const error = await errorOf(work)
      same([error['name'], error['code'], error['cause']], ['TransportError', 'ABORTED', 'enough'])
    },
  },
]

async function refund(place: Place, kind: string, goOn = true) {
  const clock = impatientClock()
  const approvals: PendingApproval[] = []
  const outcome = await clientAt(place, { clock }).run(
    { method: 'POST', path: `/refunds/${kind}` },
    {
      onApproval(approval) {
        approvals.push(approval)
        return goOn
      },
    },
  )
  return { outcome, approvals, waits: clock.waits }
}

async function report(place: Place, kind: string, maxWaitMs?: number) {
  const clock = impatientClock()
  const progress: OperationStatus[] = []
  const approvals: PendingApproval[] = []
  const outcome = await clientAt(place, { clock }).run(
    { method: 'POST', path: `/reports/${kind}` },
    {
      maxWaitMs,
      onProgress: (status) => void progress.push(status),
      onApproval(approval) {
        approvals.push(approval)
        return true
      },
    },
  )
  return { outcome, progress, approvals, waits: clock.waits }
}
