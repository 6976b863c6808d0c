import { TenantCounts } from '../shares/tenant-counts.ts'

/** Gives a slot back; a second call does nothing. */
export type ReleaseSlot = () => void

/**
 * The slots for open streams of each tenant, kept in this process, in another process or on another machine.
 * Every slot that was taken must be released, even if its client left before the slot was granted.
 */
export interface StreamSlots {
  /**
   * Takes a slot and returns its release, or `undefined` when the tenant is at its limit. A store outside this process
   * answers with a promise. The promise never rejects and settles soon: without its store this process decides alone.
   */
  take(tenantId: string): ReleaseSlot | undefined | Promise<ReleaseSlot | undefined>
  /** The slots that streams of this process hold for a tenant, without those still being asked for. */
  held(tenantId: string): number
  /**
   * Resolves when the store answers or is known to be unreachable; the gateway answers no request before. Rejects with an
   * `InitialisationError` when the store can never be used.
   */
  warm?(): Promise<void>
  /** `local` while this process decides alone, `shared` while a common store decides. */
  scope(): 'local' | 'shared'
  /** Gives back all slots and ends timers and connections. Streams may still release their slots afterwards. */
  close(): Promise<void>
}

/** Counts the slots that each tenant holds. */
export interface HeldSlots {
  of(tenantId: string): number
  /** Counts a slot until its release, which also calls `released`. */
  hold(tenantId: string, released?: () => void): ReleaseSlot
}

/** Makes a count of held slots. */
export function createHeldSlots(): HeldSlots {
  const counts = new TenantCounts()
  return {
    of: (tenantId) => counts.of(tenantId),
    hold(tenantId, released) {
      counts.add(tenantId, 1)
      let isReleased = false
      return function releaseSlot() {
        // A stream can end in several ways at once; its slot is freed exactly once.
        if (isReleased) return
        isReleased = true
        counts.add(tenantId, -1)
        released?.()
      }
    },
  }
}

/** Makes slots that are counted in this process alone. */
export function createLocalStreamSlots(limit: () => number): StreamSlots {
  const held = createHeldSlots()
  return {
    scope: () => 'local',
    close: () => Promise.resolve(),
    held: held.of,
    take: (tenantId) => (held.of(tenantId) >= limit() ? undefined : held.hold(tenantId)),
  }
}
