import { createPatience, type Patience } from './patience.ts'
import type { RunOptions } from './run-options.ts'
import type { Settings } from './settings.ts'

/** What one run shares between its steps. */
export interface RunContext {
  readonly settings: Settings
  readonly options: RunOptions
  readonly patience: Patience
  readonly signal: AbortSignal | undefined
  /** Whether a request that can have an effect may be sent again after the transport failed. */
  readonly retriesUnsafe: boolean
  /** Takes one of the rounds; false when none is left. */
  takeRound(): boolean
  /** The approval that is waited for, and how often it was waited for in vain. */
  readonly approval: { token: string | undefined; waits: number }
}

/** Where a run begins: the signal of its request, and the key that the caller chose. */
export interface RunStart {
  readonly signal: AbortSignal | undefined
  readonly givenKey: string | undefined
}

/** Makes the context of one run. */
export function createRunContext(settings: Settings, options: RunOptions, start: RunStart): RunContext {
  const signals = [options.signal, start.signal].filter((signal) => signal !== undefined)
  const signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0]
  let rounds = options.maxRounds ?? 10
  return {
    settings,
    options,
    signal,
    patience: createPatience({ clock: settings.clock, maxWaitMs: options.maxWaitMs ?? 600_000, signal }),
    // Only the caller can know that the operation honours keys: one that we made says nothing about it.
    retriesUnsafe: options.retryUnsafe ?? start.givenKey !== undefined,
    takeRound: () => rounds-- > 0,
    approval: { token: undefined, waits: 0 },
  }
}
