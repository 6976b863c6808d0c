import { createHeldSlots } from './held-slots.ts'

/** Gives a slot back; safe to call again. */
export type ReleaseSlot = () => void

/**
 * Counts the open streams of each tenant. The store may live in this process, in another one or on another machine.
 * Whoever asked it to take a slot owes it the release, also when the answer comes after the client has left.
 */
export interface StreamSlots {
  /**
   * Takes a slot and returns what gives it back, or `undefined` when the tenant has all it may have. A store outside of
   * the process answers with a promise. That one never rejects and always settles soon: a store that cannot ask decides
   * by what it knows itself.
   */
  take(tenantId: string): ReleaseSlot | undefined | Promise<ReleaseSlot | undefined>
  /** How many slots streams of this process hold for a tenant; those that are still being asked for do not count. */
  held(tenantId: string): number
  /**
   * Resolves when the store can be asked, or is known to be out of reach; a gateway answers nobody before. Rejects with an
   * `InitialisationError` when it can never be asked.
   */
  warm?(): Promise<void>
  /** Who decides at the moment: this process alone, or a store that it has in common with others. */
  scope(): 'local' | 'shared'
  /** Gives back what is held and ends timers and connections. Slots may still be released afterwards. */
  close(): Promise<void>
}

/** Slots of this process alone, without a promise. */
export function createLocalStreamSlots(limit: () => number): StreamSlots {
  const held = createHeldSlots()
  return {
    scope: () => 'local',
    close: () => Promise.resolve(),
    held: held.of,
    take: (tenantId) => (held.of(tenantId) >= limit() ? undefined : held.hold(tenantId)),
  }
}
