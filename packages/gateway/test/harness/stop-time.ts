import { vi } from 'vitest'

/**
 * Stops the clock until `vi.useRealTimers()`, intervals and immediates aside. Nothing then times out because the machine is
 * busy: a test waits for its events and for nothing else.
 */
export function stopTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
}
