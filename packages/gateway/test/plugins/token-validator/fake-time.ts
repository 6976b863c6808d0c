import { setImmediate } from 'node:timers/promises'
import { vi } from 'vitest'

/** Fakes what the plugin tells time by; sockets, servers and cryptography go on in real time. */
export function fakeTime(): void {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] })
}

/** Lets fake seconds pass, one by one and with time for real sockets in between, until something is true. */
export async function passTimeUntil(condition: () => boolean): Promise<void> {
  for (let seconds = 0; !condition(); seconds++) {
    if (seconds > 3600) throw new Error('an hour passed and it is still not true')
    await vi.advanceTimersByTimeAsync(1000)
    await letSocketsWork(condition)
  }
}

/** Waits in real time for what sockets bring, without letting any fake time pass. */
export async function letSocketsWork(condition: () => boolean): Promise<void> {
  for (let turns = 0; turns < 200 && !condition(); turns++) await setImmediate()
}
