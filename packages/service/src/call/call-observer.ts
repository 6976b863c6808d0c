import type { Outcome, Trace } from '@agentic-rest/profile'

/** One call of another agent, with what came of it. */
export interface ObservedCall {
  /** The id of the operation that made the call. */
  readonly operation: string
  /** The trace of the request that made the call. */
  readonly trace: Trace
  readonly method: string
  readonly path: string
  readonly outcome: Outcome
}

/** Watches calls and answers; tests use it to find outcomes that were swallowed. */
export interface CallObserver {
  /** Sees an inner outcome before the operation does; what it returns is what the operation gets. */
  called(call: ObservedCall): Outcome
  /** Sees how the request that may have made calls was answered. */
  answered(trace: Trace, outcome: Outcome): void
}
