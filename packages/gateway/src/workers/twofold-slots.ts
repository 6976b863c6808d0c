import type { ReleaseSlot, StreamSlots } from '../slots/stream-slots.ts'

/**
 * Slots of this machine and of all machines: a stream needs both. While the store of all is out of reach each process
 * would keep the limit for itself; the slots of the machine keep it for its workers together.
 */
export function createTwofoldSlots(machine: StreamSlots, all: StreamSlots): StreamSlots {
  const take = async (tenantId: string): Promise<ReleaseSlot | undefined> => {
    const release = await machine.take(tenantId)
    if (release === undefined) return undefined
    const releaseOfAll = await all.take(tenantId)
    if (releaseOfAll === undefined) {
      release()
      return undefined
    }
    return function releaseBoth() {
      releaseOfAll()
      release()
    }
  }
  return {
    take,
    held: all.held,
    scope: all.scope,
    warm: async () => await all.warm?.(),
    close: all.close,
  }
}
