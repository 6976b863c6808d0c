import { setTimeout as pause } from 'node:timers/promises'
import type { Guide } from '../guide.ts'
import { defineStop, demand } from '../guide.ts'
import type { Question } from '../paper.ts'
import { optimize, type ShownOptimization, show } from './campaigns.ts'

/** The fields of a status that the stops read. */
interface ShownStatus {
  readonly status: string
  readonly progress?: { readonly optimizationId: string; readonly step: number; readonly steps: number }
  readonly outcome?: string
  readonly result?: ShownOptimization
}

const POLL_MS = 100
const PATIENCE_MS = 30_000

function statusOf(operationId: string): Question {
  return { method: 'GET', path: '/operations/{operationId}/status', params: { operationId }, as: 'alice' }
}

/** Polls the status, without showing it, until it has the wanted value. */
async function waitUntil(guide: Guide, operationId: string, isWanted: (status: ShownStatus) => boolean) {
  const client = guide.client({ as: 'alice' })
  const question = statusOf(operationId)
  const late = AbortSignal.timeout(PATIENCE_MS)
  for (;;) {
    const answer = await client.request(question)
    demand(answer.type === 'success', `a status must be a success, but is ${answer.type}`)
    const status = answer.body as ShownStatus
    if (isWanted(status)) return status
    demand(!late.aborted, `the operation is ${status.status} for too long`)
    await pause(POLL_MS)
  }
}

/** Starts a background operation and waits for its first step. */
async function beginInBackground(guide: Guide, goal: string) {
  const { operationId } = await guide.expect(optimize('cmp-123', { goal }, { preferAsync: true }), 'accepted')
  const { progress } = await waitUntil(guide, operationId, (status) => status.progress !== undefined)
  return { operationId, optimizationId: progress?.optimizationId ?? '' }
}

/** Work in the background. */
export const inBackground = defineStop({
  title: '202: work in the background, and 409 during it',
  why: 'With `Prefer: respond-async` the caller need not wait. The status shows the progress. A second request for the same goal is a conflict, which names the running optimization.',
  async run(guide) {
    const { operationId, optimizationId } = await beginInBackground(guide, 'reach')
    await guide.expect(statusOf(operationId), 'success')
    const busy = await guide.expect(
      optimize('cmp-123', { goal: 'reach' }),
      'conflict',
      'OPTIMIZATION_RUNNING',
    )
    demand(busy.conflictingResourceId === optimizationId, 'the conflict has to name the one that runs')
    const seen = new Set<number>()
    const ended = await waitUntil(guide, operationId, ({ status, progress }) => {
      seen.add(progress?.step ?? 0)
      return status !== 'working'
    })
    guide.say(`steps that were seen: ${[...seen].join(', ')} of ${ended.progress?.steps}`)
    await guide.expect(statusOf(operationId), 'success')
    demand(ended.status === 'completed' && ended.outcome === 'created', 'the operation has to be completed')
    demand(ended.result?.id === optimizationId, 'the result has to be the optimization that was running')
    demand(ended.result?.status === 'completed', 'the optimization has to be completed')
  },
})

/** A running operation can be cancelled. */
export const cancelled = defineStop({
  title: 'A running optimization can be cancelled',
  why: 'A cancelled optimization is final, and the next one may start at once. Its background operation is cancelled too.',
  async run(guide) {
    const { operationId, optimizationId } = await beginInBackground(guide, 'cpl')
    const path = '/campaigns/{campaignId}/optimizations/{optimizationId}/cancel'
    const cancel = { ...show('cmp-123', optimizationId), method: 'POST', path, as: 'alice' }
    const answer = await guide.expect(cancel, 'success')
    demand((answer.body as ShownOptimization).status === 'cancelled', 'it has to be cancelled')
    await guide.expect(cancel, 'conflict', 'OPTIMIZATION_FINAL')
    const ended = await guide.expect(statusOf(operationId), 'success')
    const { status } = ended.body as ShownStatus
    demand(status === 'cancelled', `the operation must be cancelled, but is ${status}`)
    await guide.expect(optimize('cmp-123', { goal: 'cpl' }), 'created')
  },
})
