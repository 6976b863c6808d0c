const SECONDS = 10
const PART = 0.1
const LEAST = 10

/**
 * Bounds the retries of an upstream: a tenth of the requests of the last 10 seconds, and always 10. Without a bound,
 * retries would double the load of an upstream that fails because of its load.
 */
export class RetryBudget {
  private readonly requests = new Array<number>(SECONDS).fill(0)
  private readonly retries = new Array<number>(SECONDS).fill(0)
  private second = 0

  /** Counts a request. */
  count(now: number): void {
    this.add(this.requests, now)
  }

  /** Takes a retry out of the budget; false when it is used up. */
  take(now: number): boolean {
    this.moveTo(now)
    if (sum(this.retries) >= Math.max(LEAST, sum(this.requests) * PART)) return false
    this.add(this.retries, now)
    return true
  }

  private add(counts: number[], now: number): void {
    this.moveTo(now)
    const index = this.second % SECONDS
    counts[index] = (counts[index] ?? 0) + 1
  }

  /** Forgets the seconds that have left the window. */
  private moveTo(now: number): void {
    const second = Math.floor(now / 1000)
    const passed = Math.min(second - this.second, SECONDS)
    for (let step = 0; step < passed; step += 1) {
      const index = (second - step) % SECONDS
      this.requests[index] = 0
      this.retries[index] = 0
    }
    if (passed > 0) this.second = second
  }
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}
