import { setTimeout as sleep } from 'node:timers/promises'

/** Checkpoints that wait for an anchor out of reach. A later checkpoint covers earlier ones. */
const MAX_WAITING = 64
const CLOSE_MS = 2_000

/** Sends checkpoints to an anchor, one after the other. A failed one is sent again with the next checkpoint. */
export class AnchorQueue {
  readonly #send: (checkpoint: string) => Promise<void>
  readonly #warn: (message: string, fields: Readonly<Record<string, unknown>>) => void
  readonly #waiting: string[] = []
  #sending: Promise<void> | undefined
  #isFailing = false

  constructor(
    send: (checkpoint: string) => Promise<void>,
    warn: (message: string, fields: Readonly<Record<string, unknown>>) => void,
  ) {
    this.#send = send
    this.#warn = warn
  }

  /** Whether the last attempt failed. */
  get isFailing(): boolean {
    return this.#isFailing
  }

  add(checkpoint: string): void {
    this.#waiting.push(checkpoint)
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift()
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined
    })
  }

  /** Waits for the last checkpoints, for a bounded time. */
  async close(): Promise<void> {
    await Promise.race([this.#sending, sleep(CLOSE_MS, undefined, { ref: false })])
  }

  async #sendAll(): Promise<void> {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      try {
        await this.#send(next)
      } catch (error) {
        if (!this.#isFailing) this.#warn('checkpoints do not reach the anchor', { error })
        this.#isFailing = true
        return
      }
      this.#isFailing = false
      if (this.#waiting[0] === next) this.#waiting.shift()
    }
  }
}
