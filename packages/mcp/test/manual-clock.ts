import { setImmediate } from 'node:timers/promises'
import type { Environment } from '@agentic-rest/mcp'

/** An environment whose time only moves when a test says so, with countable ids. */
export interface ManualClock extends Environment {
  /** Moves the time step by step to each wait that becomes due. */
  advance(milliseconds: number): Promise<void>
}

interface Wait {
  readonly at: number
  resolve(): void
}

/** Makes a clock that starts at 2026-11-16T00:00:00Z. */
export function createManualClock(): ManualClock {
  let now = Date.UTC(2026, 10, 16)
  let ids = 0
  const waits = new Set<Wait>()
  return {
    now: () => now,
    randomBytes: (size) => crypto.getRandomValues(new Uint8Array(size)),
    randomUUID: () => `00000000-0000-4000-8000-${String(++ids).padStart(12, '0')}`,
    wait: (milliseconds, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve()
        const end = () => {
          waits.delete(wait)
          signal.removeEventListener('abort', end)
          resolve()
        }
        const wait = { at: now + milliseconds, resolve: end }
        waits.add(wait)
        signal.addEventListener('abort', end)
      }),
    async advance(milliseconds) {
      const end = now + milliseconds
      for (;;) {
        await setImmediate()
        const [next] = [...waits].filter(({ at }) => at <= end).sort((left, right) => left.at - right.at)
        if (next === undefined) break
        waits.delete(next)
        now = next.at
        next.resolve()
      }
      now = end
      await setImmediate()
    },
  }
}
