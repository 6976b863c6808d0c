import type { Trace } from '@agentic-rest/profile'
import { abortedError, isTimed } from './clock.ts'
import { TransportError } from './errors.ts'

/** The end of one request, whoever brings it: the caller, the time, or the client itself. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Starts the time anew, or ends it with 0. */
  restart(timeoutMs: number): void
  /** The error for what a request with these ids ended with. */
  failure(cause: unknown, trace?: Trace): TransportError
  /** Gives the timer and the caller's signal back, and ends what is still under way. */
  close(): void
}

/** What a deadline is made of. */
export interface DeadlineOptions {
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number
}

/** Starts one. `AbortSignal.any` and `.timeout` would do, but neither can be given back. */
export function startDeadline({ signal, timeoutMs }: DeadlineOptions): Deadline {
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
      if (isLate) return new TransportError('TIMEOUT', 'there was no answer in time', { cause, trace })
      if (signal?.aborted) return abortedError(signal, trace)
      if (cause instanceof TransportError) return cause
      return new TransportError('NETWORK', 'the connection failed', { cause, trace })
    },
    close() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', leave)
      controller.abort()
    },
  }
}
