import type { Outcome, OutcomeType, Trace } from '@agentic-rest/profile'
import type { CallObserver, ObservedCall } from './call/call.ts'

/** An inner outcome that an operation ignored. */
export interface SwallowedOutcome {
  readonly operation: string
  /** Method and path template of the inner request. */
  readonly call: string
  readonly inner: OutcomeType
  /** The outcome of the outer request, if it was answered. */
  readonly answered: OutcomeType | undefined
  readonly reason: 'never read' | 'turned into a success'
}

/** Tracks the calls of operations to other agents. */
export interface CallTracker extends CallObserver {
  /** The swallowed outcomes so far. */
  swallowed(): readonly SwallowedOutcome[]
  /** Throws an error that lists all swallowed outcomes, if there are any. */
  assertNothingSwallowed(): void
}

// These must never become a success for the caller (Errors, rule 5).
const binding: ReadonlySet<OutcomeType> = new Set<OutcomeType>([
  'failed_dependency',
  'clarification_required',
  'approval_required',
])

interface Tracked extends ObservedCall {
  isRead: boolean
  answered: OutcomeType | undefined
}

/** Creates a tracker. Pass it to `createService` as `callObserver` and check it at the end of a test. */
export function createCallTracker(): CallTracker {
  const tracked: Tracked[] = []
  const swallowed = () => tracked.flatMap(judge)
  return {
    called(call) {
      const entry: Tracked = { ...call, isRead: false, answered: undefined }
      tracked.push(entry)
      return watchReads(call.outcome, () => {
        entry.isRead = true
      })
    },
    answered(trace, { type }) {
      for (const entry of tracked) if (isSame(entry.trace, trace)) entry.answered ??= type
    },
    swallowed,
    assertNothingSwallowed() {
      const lines = swallowed().map(
        ({ operation, call, inner, answered, reason }) =>
          `${operation}: ${inner} of ${call} was ${reason} (answered ${answered ?? 'nothing yet'})`,
      )
      if (lines.length > 0) throw new Error(`inner outcomes were swallowed:\n${lines.join('\n')}`)
    },
  }
}

function judge(entry: Tracked): SwallowedOutcome[] {
  const { operation, method, path, outcome, answered, isRead } = entry
  const isSuccess = answered === 'success' || answered === 'created' || answered === 'accepted'
  const isTurned = isSuccess && binding.has(outcome.type)
  if (isRead && !isTurned) return []
  const reason = isRead ? 'turned into a success' : 'never read'
  return [{ operation, call: `${method} ${path}`, inner: outcome.type, answered, reason }]
}

/** Calls `onRead` when a member of the outcome is read. Every `await` reads `then`, so that one does not count. */
function watchReads(outcome: Outcome, onRead: () => void): Outcome {
  const note = <Result>(isOwn: boolean, result: Result): Result => {
    if (isOwn) onRead()
    return result
  }
  return new Proxy(outcome, {
    get: (target, key, receiver) => note(Object.hasOwn(target, key), Reflect.get(target, key, receiver)),
    ownKeys: (target) => note(true, Reflect.ownKeys(target)),
  })
}

function isSame(left: Trace, right: Trace): boolean {
  return left.correlationId === right.correlationId && left.requestId === right.requestId
}
