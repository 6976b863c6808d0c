/** Waits for a promise, but not beyond the deadline or the client of its exchange: rejects with the reason then. */
export function unlessCancelled<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancelled = () => reject(signal.reason)
    if (signal.aborted) cancelled()
    signal.addEventListener('abort', cancelled, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', cancelled))
  })
}
