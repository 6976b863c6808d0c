import { createLocalStreamSlots, type ReleaseSlot } from '../slots/stream-slots.ts'

/** The stream slots of all workers. */
export interface SlotKeeper<Worker> {
  /** A number for the slot, or nothing when the tenant has all it may have. */
  take(worker: Worker, tenantId: string): number | undefined
  release(worker: Worker, id: number): void
  /** The worker is gone, and its streams with it. */
  leave(worker: Worker): void
}

/** Makes the keeper. */
export function createSlotKeeper<Worker>(limit: () => number): SlotKeeper<Worker> {
  const slots = createLocalStreamSlots(limit)
  const held = new Map<Worker, Map<number, ReleaseSlot>>()
  let count = 0
  return {
    take(worker, tenantId) {
      const release = slots.take(tenantId)
      if (typeof release !== 'function') return undefined
      count += 1
      const own = held.get(worker) ?? new Map<number, ReleaseSlot>()
      held.set(worker, own.set(count, release))
      return count
    },
    release(worker, id) {
      held.get(worker)?.get(id)?.()
      held.get(worker)?.delete(id)
    },
    leave(worker) {
      for (const release of held.get(worker)?.values() ?? []) release()
      held.delete(worker)
    },
  }
}
