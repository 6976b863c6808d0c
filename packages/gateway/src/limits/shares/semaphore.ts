import type { CancelSignal } from '../../exchange.ts'
import { TenantCounts } from './tenant-counts.ts'
import { TenantQueue } from './tenant-queue.ts'

/** Gives a permit back; safe to call again. */
export type Release = () => void

/** The bounds of a semaphore. */
export interface SemaphoreLimits {
  readonly permits: number
  /** Most permits of one tenant. Its further requests wait, even if permits are free. */
  readonly permitsPerTenant?: number
  /** Most requests in the queue. */
  readonly queue: number
  /** Most requests of one tenant in the queue. */
  readonly queuePerTenant?: number
}

/** The bound that leaves a request no place in the queue. */
export type FullQueue = 'queue' | 'queuePerTenant'

/**
 * Bounds the concurrent requests to one upstream, with a bounded queue that serves tenants in turn. Slow requests of one
 * tenant can take neither all permits nor all places in the queue.
 */
export class Semaphore {
  private readonly limits: Required<SemaphoreLimits>
  private readonly queue = new TenantQueue<() => void>()
  private readonly heldBy = new TenantCounts()
  private held = 0

  constructor(limits: SemaphoreLimits) {
    this.limits = { permitsPerTenant: Infinity, queuePerTenant: Infinity, ...limits }
  }

  /** Permits in use. */
  get taken(): number {
    return this.held
  }

  /** Requests in the queue. */
  get waiting(): number {
    return this.queue.size
  }

  /** The bound that refuses a request of this tenant; `undefined` when it gets a permit or may wait for one. */
  fullFor(tenant: string): FullQueue | undefined {
    if (this.isFree(tenant)) return undefined
    // The bound of the tenant first: a tenant that fills the queue alone learns that it is the cause.
    if (this.queue.sizeOf(tenant) >= this.limits.queuePerTenant) return 'queuePerTenant'
    return this.queue.size >= this.limits.queue ? 'queue' : undefined
  }

  /**
   * Takes a permit, at once or after a wait, or returns the bound that refuses it. Rejects when the signal aborts, which
   * frees the place in the queue at once.
   */
  take(tenant: string, signal: CancelSignal): Release | Promise<Release> | FullQueue {
    const full = this.fullFor(tenant)
    if (full !== undefined) return full
    if (!this.isFree(tenant)) return this.wait(tenant, signal).then(() => this.createRelease(tenant))
    this.hold(tenant)
    return this.createRelease(tenant)
  }

  /** While a permit is free, only tenants with all their permits wait: nobody is overtaken. */
  private isFree(tenant: string): boolean {
    return this.held < this.limits.permits && this.mayHold(tenant)
  }

  private readonly mayHold = (tenant: string): boolean =>
    this.heldBy.of(tenant) < this.limits.permitsPerTenant

  private hold(tenant: string): void {
    this.held += 1
    this.heldBy.add(tenant, 1)
  }

  /** Resolves when a permit is held for this caller. */
  private wait(tenant: string, signal: CancelSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.queue.remove(tenant, enter)
        reject(signal.reason)
      }
      const enter = () => {
        signal.removeEventListener('abort', leave)
        this.hold(tenant)
        resolve()
      }
      this.queue.add(tenant, enter)
      signal.addEventListener('abort', leave)
    })
  }

  private createRelease(tenant: string): Release {
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.held -= 1
      this.heldBy.add(tenant, -1)
      this.queue.next(this.mayHold)?.()
    }
  }
}
