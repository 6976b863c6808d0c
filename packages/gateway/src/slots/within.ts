/** An answer took too long. */
export class TooSlowError extends Error {
  override readonly name = 'TooSlowError'
  readonly code = 'TIMEOUT'
}

const SLICES = 4

/**
 * Rejects when an answer takes too long. Only what the other side takes counts: the time is measured in slices, so that
 * a process that was busy itself uses up no more than one of them, and an answer that has come is read before it is missed.
 * A signal ends the wait at once.
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
