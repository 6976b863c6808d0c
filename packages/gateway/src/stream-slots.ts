/** Counts the open streams of each tenant. A shared form of it may live outside the process. */
export interface StreamSlots {
  /** Takes a slot and returns what gives it back, or `undefined` when the tenant has all it may have. */
  take(tenantId: string): (() => void) | undefined
  /** How many slots a tenant holds. */
  held(tenantId: string): number
}

/** Slots of this process alone. A tenant without streams takes no memory. */
export function createLocalStreamSlots(limit: () => number): StreamSlots {
  const counts = new Map<string, number>()
  const add = (tenantId: string, change: number) => {
    const count = (counts.get(tenantId) ?? 0) + change
    if (count === 0) counts.delete(tenantId)
    else counts.set(tenantId, count)
  }
  return {
    held: (tenantId) => counts.get(tenantId) ?? 0,
    take(tenantId) {
      if ((counts.get(tenantId) ?? 0) >= limit()) return undefined
      add(tenantId, 1)
      let released = false
      return function releaseSlot() {
        // A stream can end in several ways at once; its slot is freed exactly once.
        if (released) return
        released = true
        add(tenantId, -1)
      }
    },
  }
}
