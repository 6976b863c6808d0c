import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'

/** Time and randomness. Tests replace them. */
export interface Environment {
  /** Milliseconds since 1970. */
  now(): number
  randomBytes(size: number): Uint8Array
  randomUUID(): string
  /** Resolves after the time, or at once when the signal is aborted. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>
}

/** The clock and the random source of the process. */
export const systemEnvironment: Environment = {
  now: () => Date.now(),
  randomBytes: (size) => randomBytes(size),
  randomUUID: () => randomUUID(),
  wait: (milliseconds, signal) =>
    delay(milliseconds, undefined, { signal, ref: false }).catch(() => undefined),
}
