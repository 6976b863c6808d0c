/** Knows when this process got no turn, because the machine had other things to do. */
export interface Stalls {
  /** How much of the time since `from`, as `performance.now()` has it, was lost. */
  lostSince(from: number): number
  /** All of it so far. */
  readonly totalMs: number
  close(): void
}

const BEAT_MS = 20
/** Less than this is how timers are. */
const LATE_MS = 100
/** Nobody asks for longer ago. */
const KEPT_MS = 60_000

/** Watches a timer: what it is late, everything in this process is. */
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
      // The timer may be about to find out.
      beat()
      return stalls.reduce((sum, { from, to }) => sum + Math.max(0, to - Math.max(from, start)), 0)
    },
    get totalMs() {
      return totalMs
    },
    close: () => clearInterval(timer),
  }
}
