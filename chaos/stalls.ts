/** The times in which this process did not run. */
export interface Stalls {
  /** The lost time since `from`, a value of `performance.now()`. */
  lostSince(from: number): number
  /** All lost time so far. */
  readonly totalMs: number
  close(): void
}

const BEAT_MS = 20
/** Smaller delays are normal for timers. */
const LATE_MS = 100
/** Older stalls are forgotten. */
const KEPT_MS = 60_000

/** Watches a timer: its delay is the delay of the whole process. */
export function watchStalls(): Stalls {
  const stalls: { readonly from: number; readonly to: number }[] = []
  let expectedAt = performance.now() + BEAT_MS
  let totalMs = 0
  const beat = () => {
    const now = performance.now()
    if (now - expectedAt > LATE_MS) {
      stalls.push({ from: expectedAt, to: now })
      totalMs += now - expectedAt
    }
    while ((stalls[0]?.to ?? now) < now - KEPT_MS) stalls.shift()
    expectedAt = now + BEAT_MS
  }
  const timer = setInterval(beat, BEAT_MS)
  return {
    lostSince: (start) => {
      // Includes a stall that just ended.
      beat()
      return stalls.reduce((sum, { from, to }) => sum + Math.max(0, to - Math.max(from, start)), 0)
    },
    get totalMs() {
      return totalMs
    },
    close: () => clearInterval(timer),
  }
}
