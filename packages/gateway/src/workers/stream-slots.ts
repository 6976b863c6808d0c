import { createHeldSlots, type StreamSlots } from '../limits/streams/stream-slots.ts'
import type { SupervisorChannel } from './channel.ts'

/** Counts the streams of each tenant over all workers, in the supervisor. */
export class SupervisorSlots<Worker> {
  readonly #limit: () => number
  readonly #held = new Map<Worker, Map<string, number>>()

  constructor(limit: () => number) {
    this.#limit = limit
  }

  /** False when the tenant is at its limit. */
  take(worker: Worker, tenantId: string): boolean {
    const total = [...this.#held.values()].reduce((sum, own) => sum + (own.get(tenantId) ?? 0), 0)
    if (total >= this.#limit()) return false
    this.#add(worker, tenantId, 1)
    return true
  }

  release(worker: Worker, tenantId: string): void {
    this.#add(worker, tenantId, -1)
  }

  /** Frees the slots of a worker that has ended. */
  leave(worker: Worker): void {
    this.#held.delete(worker)
  }

  #add(worker: Worker, tenantId: string, change: number): void {
    const own = this.#held.get(worker) ?? new Map<string, number>()
    const count = (own.get(tenantId) ?? 0) + change
    if (count > 0) this.#held.set(worker, own.set(tenantId, count))
    else own.delete(tenantId)
  }
}

/**
 * Makes the stream slots of a worker. A stream needs one of the supervisor and, with `gateway.shared`, one of all machines:
 * without its store each worker would apply the limit alone, and the slots of the supervisor keep it for all workers.
 */
export function createWorkerSlots(
  supervisor: Pick<SupervisorChannel, 'ask' | 'tell'>,
  shared?: StreamSlots | undefined,
): StreamSlots {
  const held = createHeldSlots()
  return {
    held: held.of,
    scope: () => shared?.scope() ?? 'shared',
    warm: async () => await shared?.warm?.(),
    close: async () => await shared?.close(),
    async take(tenantId) {
      // A worker without a supervisor is going down, and refuses.
      if (!(await supervisor.ask('takeSlot', tenantId).catch(() => false))) return undefined
      const releaseShared = await shared?.take(tenantId)
      const release = () => supervisor.tell('releaseSlot', tenantId)
      if (shared === undefined || releaseShared !== undefined)
        return held.hold(tenantId, () => {
          releaseShared?.()
          release()
        })
      release()
      return undefined
    },
  }
}
