/** Counts things by tenant. A tenant that has none takes no memory. */
export class TenantCounts {
  private readonly counts = new Map<string, number>()

  of(tenant: string): number {
    return this.counts.get(tenant) ?? 0
  }

  add(tenant: string, change: 1 | -1): void {
    const count = this.of(tenant) + change
    if (count === 0) this.counts.delete(tenant)
    else this.counts.set(tenant, count)
  }
}
