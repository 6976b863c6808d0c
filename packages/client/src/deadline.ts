import type { Trace } from '@agentic-rest/profile'
import { abortedError, isTimed } from './clock.ts'
import { TransportError } from './errors.ts'

/** Ends a request: by the caller, by a timeout, or by the client itself. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Restarts the timeout; 0 removes it. */
  restart(timeoutMs: number): void
  /** The error of a failed request with these ids. */
  failure(cause: unknown, trace?: Trace): TransportError
  /** Releases the timer and the listener of the caller's signal, and aborts the request. */
  close(): void
}

/** The options of a deadline. */
export interface DeadlineOptions {
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number
  /** Where the request goes, for its errors. */
  readonly url: URL
}

/** Starts a deadline. `AbortSignal.any` and `.timeout` cannot be released early. */
export function startDeadline({ signal, timeoutMs, url }: DeadlineOptions): Deadline {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isLate = false
  const leave = () => controller.abort()
  const restart = (milliseconds: number) => {
    clearTimeout(timer)
    if (isTimed(milliseconds)) timer = setTimeout(expire, milliseconds)
  }
  const expire = () => {
    isLate = !controller.signal.aborted
    controller.abort()
  }
  restart(timeoutMs)
  signal?.addEventListener('abort', leave)
  if (signal?.aborted) leave()
  return {
    signal: controller.signal,
    restart,
    failure(cause, trace) {
      const details = { cause, trace, url }
      if (isLate) return new TransportError('TIMEOUT', 'there was no answer in time', details)
      if (signal?.aborted) return abortedError(signal, details)
      // A limit of the client; the code that found it knows neither ids nor address.
      if (cause instanceof TransportError)
        return new TransportError(cause.code, cause.message, { trace, url })
      return new TransportError('NETWORK', 'the connection failed', details)
    },
    close() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', leave)
      controller.abort()
    },
  }
}
