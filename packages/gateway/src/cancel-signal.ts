import type { CancelReason } from './exchange.ts'

/**
 * Says that a request ends early, and why. An `AbortSignal` fits too; this is the part of it that the gateway needs,
 * at a tenth of its price: every request has one, and hardly any is ever aborted.
 */
export interface CancelSignal {
  readonly aborted: boolean
  readonly reason: unknown
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** A signal and what sets it off. */
export interface Cancellation {
  readonly signal: CancelSignal
  /** Tells every listener once; the first reason stays. */
  readonly cancel: (reason: CancelReason) => void
}

/** Makes the signal of one request. */
export function createCancellation(): Cancellation {
  const listeners: (() => void)[] = []
  const signal = {
    aborted: false,
    reason: undefined as CancelReason | undefined,
    throwIfAborted() {
      if (signal.aborted) throw signal.reason
    },
    addEventListener: (_type: 'abort', listener: () => void) => void listeners.push(listener),
    removeEventListener(_type: 'abort', listener: () => void) {
      const index = listeners.indexOf(listener)
      if (index !== -1) listeners.splice(index, 1)
    },
  }
  const cancel = (reason: CancelReason) => {
    if (signal.aborted) return
    signal.aborted = true
    signal.reason = reason
    for (const listener of listeners.splice(0)) listener()
  }
  return { signal, cancel }
}
