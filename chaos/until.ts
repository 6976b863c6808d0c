import { setTimeout as wait } from 'node:timers/promises'

const STEP_MS = 20

/** Asks again until a condition holds or the time is over; gives the last value either way. */
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
