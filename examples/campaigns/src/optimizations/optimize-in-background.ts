import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { created, type Outcome, TakenOverError } from '@agentic-rest/service'
import type { Campaign } from '../campaigns/campaign.ts'
import type { DailyMetrics } from '../campaigns/metrics.ts'
import { readMetrics } from '../campaigns/read-metrics.ts'
import { suggest } from '../optimizer/suggest.ts'
import { addDays, emptyTally, type Tally } from '../optimizer/tally.ts'
import { alreadyRunning, type Optimization, wasCancelled, wasGivenUp } from './optimization.ts'
import {
  beginOptimization,
  cancelHeld,
  completeOptimization,
  failOptimization,
  type Hold,
  keepHold,
  letGo,
  takeUp,
} from './optimization-table.ts'
import { newOptimization } from './optimize-now.ts'
import type { OptimizationContext, OptimizerParts } from './optimizer-parts.ts'

/**
 * How long a run may be silent. Less than two thirds of the runtime's own lease (`LEASE_SECONDS`): who still holds
 * an optimization cannot have lost its operation to another worker.
 */
export const HOLD_SECONDS = 3
const STEPS = 14

/** One run in the background: the optimization can be watched while it works through its data. */
interface Run {
  readonly parts: OptimizerParts
  readonly context: OptimizationContext
  readonly campaign: Campaign
  readonly hold: Hold
}

/** Optimizes while nobody waits, in steps that are reported. A run that was interrupted is taken up by the next. */
export async function optimizeInBackground(
  parts: OptimizerParts,
  campaign: Campaign,
  context: OptimizationContext,
): Promise<Outcome> {
  const begun = await begin(parts, context)
  if ('type' in begun) return begun
  const run: Run = { parts, context, campaign, hold: begun }
  try {
    return await work(run)
  } catch (cause) {
    await leave(run, cause)
    throw cause
  }
}

/**
 * A new optimization, or what an earlier attempt of the same operation has left of it. A new one is tried first: who
 * sends the same goal right after the 202 has to find it there.
 */
async function begin({ store }: OptimizerParts, context: OptimizationContext): Promise<Hold | Outcome> {
  const { tenant } = context
  const beginning = { tenant, runner: runnerOf(context), holdSeconds: HOLD_SECONDS }
  const begun = await beginOptimization(store, { ...beginning, optimization: newOptimization(context, []) })
  if (!('inTheWay' in begun)) return begun
  const left = await takeUp(store, beginning)
  switch (left.kind) {
    case 'taken':
      return left.hold
    case 'ended':
      return endedAs(left.optimization)
    case 'held':
      // Thrown, so that it is tried again when the earlier attempt has let go.
      throw new Error('an earlier attempt still holds the optimization')
    case 'nothing':
      return alreadyRunning(begun.inTheWay)
  }
}

/** The same for all attempts of one operation, which the runtime does not name: its request does. */
function runnerOf({ trace, subject, input }: OptimizationContext): string {
  const request = [trace.correlationId, trace.requestId, subject ?? null, input.campaignId, input.goal]
  // Its length is the caller's to choose, and that of a key in an index is not.
  return createHash('sha256').update(JSON.stringify(request)).digest('hex')
}

function endedAs({ id, status }: Optimization): Outcome {
  return status === 'cancelled' ? wasCancelled(id) : wasGivenUp
}

async function work(run: Run): Promise<Outcome> {
  const { parts, context, campaign, hold } = run
  const metrics = await readMetrics(parts, campaign, context)
  if (!metrics.ok) {
    await failOptimization(parts.store, hold)
    return metrics.outcome
  }
  const tally = await workThrough(run, metrics.days)
  if (tally === undefined) return noticeEnd(run)
  const suggestions = suggest(tally, context.input.goal)
  const described = (await parts.writer?.(suggestions)) ?? suggestions
  const outcome = await context.commit(async (sql) => {
    const optimization = await completeOptimization(sql, hold, described)
    return optimization === undefined ? wasCancelled(hold.id) : created(optimization)
  })
  return outcome.type === 'created' ? outcome : noticeEnd(run)
}

/** Adds up the days, some at a time; nothing when the optimization was ended meanwhile. */
async function workThrough(run: Run, days: readonly DailyMetrics[]): Promise<Tally | undefined> {
  const { parts, context, hold } = run
  let tally = emptyTally
  for (let step = 1; step <= STEPS; step += 1) {
    if (!(await keepHold(parts.store, hold, HOLD_SECONDS))) return undefined
    const [from, to] = [step - 1, step].map((part) => Math.round((days.length * part) / STEPS))
    tally = addDays(tally, days.slice(from, to))
    await context.progress({ optimizationId: hold.id, step, steps: STEPS })
    await pause(parts.stepMs, undefined, { signal: context.signal })
  }
  return tally
}

/** Somebody else has ended the optimization, or another attempt has it. */
async function noticeEnd({ parts, context, hold }: Run): Promise<Outcome> {
  const left = await takeUp(parts.store, {
    tenant: hold.tenant,
    runner: runnerOf(context),
    holdSeconds: HOLD_SECONDS,
  })
  if (left.kind !== 'ended') throw new TakenOverError('another attempt has the optimization')
  return endedAs(left.optimization)
}

/**
 * The run ends without an outcome. Its operation was cancelled if it was interrupted for no other reason: the service
 * does not close, and the optimization is still held. In all other cases the next attempt goes on with it.
 */
async function leave({ parts, context, hold }: Run, cause: unknown): Promise<void> {
  const isInterrupted = context.signal.aborted || cause instanceof TakenOverError
  const isCancelled = isInterrupted && !parts.closing.aborted
  try {
    await (isCancelled ? cancelHeld(parts.store, hold) : letGo(parts.store, hold))
  } catch (failure) {
    context.log.warn('an optimization could not be let go; it is free when its time is over', {
      cause: failure,
    })
  }
}
