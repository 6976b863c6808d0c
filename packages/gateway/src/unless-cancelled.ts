import type { CancelSignal } from './cancel-signal.ts'

/** Waits for a promise, but not beyond the deadline or the client of its exchange: rejects with the reason then. */
export function unlessCancelled<T>(promise: Promise<T>, signal: CancelSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancelled = () => reject(signal.reason)
    if (signal.aborted) cancelled()
    signal.addEventListener('abort', cancelled)
    const settle = <Value>(end: (value: Value) => void, value: Value) => {
      signal.removeEventListener('abort', cancelled)
      end(value)
    }
    promise.then(
      (value) => settle(resolve, value),
      (error: unknown) => settle(reject, error),
    )
  })
}
