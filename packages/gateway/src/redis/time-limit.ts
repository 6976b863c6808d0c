/** An answer took too long. */
export class TooSlowError extends Error {
  override readonly name = 'TooSlowError'
  readonly code = 'TIMEOUT'
}

const SLICES = 4

/**
 * Rejects when an answer takes too long, or when the signal is aborted. Time in which this process itself was blocked
 * does not count: the limit is measured in slices, and a blocked process misses at most one of them. An answer that
 * has already arrived is read before the rejection.
 */
export function within<T>(ms: number, answer: Promise<T>, signal?: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  let left = SLICES
  const timer = setInterval(() => {
    left -= 1
    if (left === 0) setImmediate(() => reject(new TooSlowError('no answer in time')))
  }, ms / SLICES)
  const aborted = () => reject(signal?.reason)
  signal?.addEventListener('abort', aborted)
  answer.then(resolve, reject)
  return promise.finally(() => {
    clearInterval(timer)
    signal?.removeEventListener('abort', aborted)
  })
}
