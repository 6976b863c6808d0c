/** So many tenants are counted before those with nothing are forgotten. */
const FIRST_SWEEP = 1024

/**
 * Counts things by tenant. A tenant with none is forgotten later, with many others: V8 makes a smaller table for a map that
 * loses its entries, and links the former one to it. With one request at a time each request would leave a table, which
 * only a major collection frees.
 */
export class TenantCounts {
  private readonly counts = new Map<string, number>()
  private sweepAt = FIRST_SWEEP

  /** The number of tenants in memory. */
  get size(): number {
    return this.counts.size
  }

  of(tenant: string): number {
    return this.counts.get(tenant) ?? 0
  }

  add(tenant: string, change: number): void {
    if (change === 0) return
    this.counts.set(tenant, this.of(tenant) + change)
    if (this.counts.size >= this.sweepAt) this.sweep()
  }

  private sweep(): void {
    for (const [tenant, count] of this.counts) if (count === 0) this.counts.delete(tenant)
    // Twice as many, so that tenants with something are not looked at over and over.
    this.sweepAt = Math.max(FIRST_SWEEP, this.counts.size * 2)
  }
}
