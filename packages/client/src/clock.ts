import { type FailureDetails, TransportError } from './errors.ts'

/** Time and random numbers, replaced in tests. */
export interface Clock {
  now(): number
  /** Resolves after a time in milliseconds; rejects at once when the signal is aborted. */
  sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void>
  /** A random number from 0 up to but not including 1. */
  random(): number
}

// Longer timers overflow and fire at once, and a wait would become a busy loop.
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        reject(abortedError(signal))
      }
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', leave)
          resolve()
        },
        Math.min(milliseconds, LONGEST_TIMER_MS),
      )
      signal?.addEventListener('abort', leave, { once: true })
      if (signal?.aborted) leave()
    }),
}

/** The error for a request aborted by the caller, with the reason as its cause. */
export function abortedError(signal: AbortSignal | undefined, details: FailureDetails = {}): TransportError {
  return new TransportError('ABORTED', 'the request was aborted', { ...details, cause: signal?.reason })
}

/** Whether a timer can keep a limit; 0 and very long limits mean none. */
export function isTimed(milliseconds: number): boolean {
  return milliseconds > 0 && milliseconds <= LONGEST_TIMER_MS
}

/** Waits for work of the caller until the signal is aborted. */
export function untilAborted<T>(work: T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return Promise.resolve(work)
  return new Promise((resolve, reject) => {
    const leave = () => reject(abortedError(signal))
    signal.addEventListener('abort', leave, { once: true })
    if (signal.aborted) leave()
    Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', leave))
  })
}
