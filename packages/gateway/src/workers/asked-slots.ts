import type { StreamSlots } from '../stream-slots.ts'

/** Where slots are that all workers have in common. */
export interface SlotDesk {
  take(tenantId: string): Promise<number | undefined>
  release(id: number): void
}

/** The stream slots of a worker: the primary holds those of all. One that cannot be asked any more refuses. */
export function createAskedSlots(desk: SlotDesk): StreamSlots {
  const counts = new Map<string, number>()
  const add = (tenantId: string, change: number) => {
    const count = (counts.get(tenantId) ?? 0) + change
    if (count === 0) counts.delete(tenantId)
    else counts.set(tenantId, count)
  }
  return {
    scope: () => 'shared',
    close: () => Promise.resolve(),
    held: (tenantId) => counts.get(tenantId) ?? 0,
    async take(tenantId) {
      const id = await desk.take(tenantId).catch(() => undefined)
      if (id === undefined) return undefined
      add(tenantId, 1)
      let released = false
      return function releaseSlot() {
        if (released) return
        released = true
        add(tenantId, -1)
        desk.release(id)
      }
    },
  }
}
