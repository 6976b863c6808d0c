import { createHeldSlots, type StreamSlots } from '../slots/stream-slots.ts'

/** Where slots are that all workers have in common. */
export interface SlotDesk {
  take(tenantId: string): Promise<number | undefined>
  release(id: number): void
}

/** The stream slots of a worker: the primary holds those of all. One that cannot be asked any more refuses. */
export function createAskedSlots(desk: SlotDesk): StreamSlots {
  const held = createHeldSlots()
  return {
    scope: () => 'shared',
    close: () => Promise.resolve(),
    held: held.of,
    async take(tenantId) {
      const id = await desk.take(tenantId).catch(() => undefined)
      return id === undefined ? undefined : held.hold(tenantId, () => desk.release(id))
    },
  }
}
