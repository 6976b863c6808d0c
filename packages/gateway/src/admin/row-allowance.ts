/** How many rows are sent in a second, whatever passes; the rest is counted. */
export const ROWS_PER_SECOND = 50

/** Rows that may still be sent: a burst is shown, a flood is sampled. */
export interface RowAllowance {
  /** Begins anew with a whole second's. */
  fill(): void
  /** Whether a row may be sent at this time. */
  take(now: number): boolean
}

/** Makes it, with nothing to take before it is filled. */
export function createRowAllowance(): RowAllowance {
  let left = 0
  let at = 0
  return {
    fill() {
      left = ROWS_PER_SECOND
      at = performance.now()
    },
    take(now) {
      left = Math.min(ROWS_PER_SECOND, left + ((now - at) * ROWS_PER_SECOND) / 1000)
      at = now
      if (left < 1) return false
      left -= 1
      return true
    },
  }
}
