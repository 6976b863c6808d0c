import { createPatience, type Patience } from './patience.ts'
import type { RunOptions } from './run-options.ts'
import type { Settings } from './settings.ts'

/** The shared state of one run. */
export interface RunContext {
  readonly settings: Settings
  readonly options: RunOptions
  readonly patience: Patience
  /** The time to wait for decisions. */
  readonly approvalPatience: Patience
  readonly signal: AbortSignal | undefined
  /** Whether a request with an effect may be retried after a transport failure. */
  readonly retriesUnsafe: boolean
  /** Uses one round; false when none is left. */
  takeRound(): boolean
  /** The number of waits for each pending approval, by token. */
  readonly approvalWaits: Map<string, number>
}

/** The signal of the first request, and the key chosen by the caller. */
export interface RunStart {
  readonly signal: AbortSignal | undefined
  readonly givenKey: string | undefined
}

const TEN_MINUTES_MS = 600_000

/** Creates the state of one run. */
export function createRunContext(settings: Settings, options: RunOptions, start: RunStart): RunContext {
  const signals = [options.signal, start.signal].filter((signal) => signal !== undefined)
  const signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0]
  const { maxWaitMs = TEN_MINUTES_MS, approvalWaitMs, onApproval } = options
  const patienceOf = (waitMs: number) => createPatience({ clock: settings.clock, maxWaitMs: waitMs, signal })
  const patience = patienceOf(maxWaitMs)
  const isSeparate = approvalWaitMs !== undefined || onApproval === 'wait'
  let rounds = options.maxRounds ?? 10
  return {
    settings,
    options,
    signal,
    patience,
    approvalPatience: isSeparate ? patienceOf(approvalWaitMs ?? TEN_MINUTES_MS) : patience,
    // Only a key of the caller shows that the operation supports keys; a generated key does not.
    retriesUnsafe: options.retryUnsafe ?? start.givenKey !== undefined,
    takeRound: () => rounds-- > 0,
    approvalWaits: new Map(),
  }
}
