/**
 * A queue that serves tenants in turn: a tenant with one item does not wait behind all items of another. The items of one
 * tenant are served in the order of their arrival.
 */
export class TenantQueue<Item> {
  /** In the order of the turns. A tenant without items takes no memory. */
  private readonly tenants = new Map<string, Set<Item>>()
  private count = 0

  get size(): number {
    return this.count
  }

  sizeOf(tenant: string): number {
    return this.tenants.get(tenant)?.size ?? 0
  }

  add(tenant: string, item: Item): void {
    const items = this.tenants.get(tenant) ?? new Set()
    this.tenants.set(tenant, items.add(item))
    this.count += 1
  }

  /** Removes an item that no longer waits; without effect if it has been served. */
  remove(tenant: string, item: Item): void {
    const items = this.tenants.get(tenant)
    if (items?.delete(item) !== true) return
    this.count -= 1
    if (items.size === 0) this.tenants.delete(tenant)
  }

  /** Takes the next item of the first tenant in turn that may have one. */
  next(isEligible: (tenant: string) => boolean = () => true): Item | undefined {
    for (const [tenant, items] of this.tenants) {
      if (!isEligible(tenant)) continue
      const [item] = items
      // The tenant goes to the end of the line, also when the loop ends here.
      this.tenants.delete(tenant)
      if (items.size > 1) this.tenants.set(tenant, items)
      items.delete(item as Item)
      this.count -= 1
      return item
    }
    return undefined
  }
}
