import { createPatience, type Patience } from './patience.ts'
import type { RunOptions } from './run-options.ts'
import type { Settings } from './settings.ts'

/** What one run shares between its steps. */
export interface RunContext {
  readonly settings: Settings
  readonly options: RunOptions
  readonly patience: Patience
  readonly signal: AbortSignal | undefined
  /** Takes one of the rounds; false when none is left. */
  takeRound(): boolean
  /** The approval that is waited for, and how often it was waited for in vain. */
  readonly approval: { token: string | undefined; waits: number }
}

/** Makes the context of one run. */
export function createRunContext(
  settings: Settings,
  options: RunOptions,
  requestSignal: AbortSignal | undefined,
): RunContext {
  const signals = [options.signal, requestSignal].filter((signal) => signal !== undefined)
  const signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0]
  let rounds = options.maxRounds ?? 10
  return {
    settings,
    options,
    signal,
    patience: createPatience({ clock: settings.clock, maxWaitMs: options.maxWaitMs ?? 600_000, signal }),
    takeRound: () => rounds-- > 0,
    approval: { token: undefined, waits: 0 },
  }
}
