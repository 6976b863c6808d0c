import type { CancelSignal } from '../exchange.ts'

/** Gives a permit back; safe to call again. */
export type Release = () => void

/** The bounds of a semaphore. */
export interface SemaphoreLimits {
  readonly permits: number
  /** Most requests in the queue. */
  readonly queue: number
}

/** Bounds the concurrent requests to one upstream, with a bounded queue: first come, first served. */
export class Semaphore {
  private readonly limits: SemaphoreLimits
  private readonly queue = new Set<() => void>()
  private held = 0

  constructor(limits: SemaphoreLimits) {
    this.limits = limits
  }

  /** Permits in use. */
  get taken(): number {
    return this.held
  }

  /** Requests in the queue. */
  get waiting(): number {
    return this.queue.size
  }

  /** No permit is free, and the queue is full. */
  get isFull(): boolean {
    return this.held >= this.limits.permits && this.queue.size >= this.limits.queue
  }

  /**
   * Takes a permit, at once or after a wait; `undefined` when the queue is full. Rejects when the signal aborts, which
   * frees the place in the queue at once.
   */
  take(signal: CancelSignal): Release | Promise<Release> | undefined {
    if (this.isFull) return undefined
    if (this.held >= this.limits.permits) return this.wait(signal).then(() => this.createRelease())
    this.held += 1
    return this.createRelease()
  }

  /** Resolves when a permit is passed on to this caller. */
  private wait(signal: CancelSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.queue.delete(enter)
        reject(signal.reason)
      }
      const enter = () => {
        this.queue.delete(enter)
        signal.removeEventListener('abort', leave)
        resolve()
      }
      this.queue.add(enter)
      signal.addEventListener('abort', leave)
    })
  }

  private createRelease(): Release {
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.passOn()
    }
  }

  private passOn(): void {
    const [next] = this.queue
    if (next === undefined) this.held -= 1
    else next()
  }
}
