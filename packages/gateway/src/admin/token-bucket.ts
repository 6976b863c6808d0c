/** Limits a rate: a burst of up to one second's amount passes, a flood is cut to the rate. */
export class TokenBucket {
  readonly #perSecond: number
  #left: number
  #at: number

  constructor(perSecond: number, now = performance.now()) {
    this.#perSecond = perSecond
    this.#left = perSecond
    this.#at = now
  }

  /** Starts again with a full second's amount. */
  fill(now = performance.now()): void {
    this.#left = this.#perSecond
    this.#at = now
  }

  /** Takes an amount, or returns false when less is left. */
  take(amount: number, now = performance.now()): boolean {
    this.#left = Math.min(this.#perSecond, this.#left + ((now - this.#at) * this.#perSecond) / 1000)
    this.#at = now
    if (this.#left < amount) return false
    this.#left -= amount
    return true
  }
}
