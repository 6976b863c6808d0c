import { setTimeout as wait } from 'node:timers/promises'

const STEP_MS = 20

/** Repeats a question until its condition holds or the time is over. Returns the last value. */
export async function until<T>(
  ask: () => T | Promise<T>,
  holds: (value: T) => boolean,
  withinMs: number,
): Promise<T> {
  const latest = performance.now() + withinMs
  for (;;) {
    const value = await ask()
    if (holds(value) || performance.now() > latest) return value
    await wait(STEP_MS)
  }
}
