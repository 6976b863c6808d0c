import { setImmediate } from 'node:timers/promises'
import { vi } from 'vitest'

/** Fakes the clocks of the plugin; sockets, servers and cryptography stay in real time. */
export function fakeTime(): void {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] })
}

/** Advances the fake clock second by second, with time for real sockets in between, until a condition is true. */
export async function passTimeUntil(condition: () => boolean): Promise<void> {
  for (let seconds = 0; !condition(); seconds++) {
    if (seconds > 3600) throw new Error('an hour passed and it is still not true')
    await vi.advanceTimersByTimeAsync(1000)
    await letSocketsWork(condition)
  }
}

/** Waits for real sockets without advancing the fake clock. */
export async function letSocketsWork(condition: () => boolean, mostTurns = 200): Promise<void> {
  for (let turns = 0; turns < mostTurns && !condition(); turns++) await setImmediate()
}
