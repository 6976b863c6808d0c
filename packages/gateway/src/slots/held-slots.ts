import type { ReleaseSlot } from './stream-slots.ts'

/** How many slots each tenant holds. A tenant without streams takes no memory. */
export interface HeldSlots {
  of(tenantId: string): number
  /** Counts a slot until it is given back, which `released` is then told. */
  hold(tenantId: string, released?: () => void): ReleaseSlot
}

/** Counts the slots of one store. */
export function createHeldSlots(): HeldSlots {
  const counts = new Map<string, number>()
  const add = (tenantId: string, change: number) => {
    const count = (counts.get(tenantId) ?? 0) + change
    if (count === 0) counts.delete(tenantId)
    else counts.set(tenantId, count)
  }
  return {
    of: (tenantId) => counts.get(tenantId) ?? 0,
    hold(tenantId, released) {
      add(tenantId, 1)
      let isReleased = false
      return function releaseSlot() {
        // A stream can end in several ways at once; its slot is freed exactly once.
        if (isReleased) return
        isReleased = true
        add(tenantId, -1)
        released?.()
      }
    },
  }
}
