const TICK_MS = 5

/**
 * Milliseconds that pass until some work is done, without those in which this process did not get to run: a tick that
 * comes late counts for two at most. For what happens at once, or after a time that somebody waits.
 */
export async function ownTime(work: () => Promise<unknown>): Promise<number> {
  let passed = 0
  let last = performance.now()
  const count = () => {
    const now = performance.now()
    passed += Math.min(now - last, 2 * TICK_MS)
    last = now
  }
  const ticks = setInterval(count, TICK_MS)
  try {
    await work()
    count()
    return passed
  } finally {
    clearInterval(ticks)
  }
}
