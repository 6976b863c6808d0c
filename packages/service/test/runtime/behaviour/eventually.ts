import { expect } from 'vitest'

// Tests of other packages may keep the machine busy.
const PATIENCE_MS = 20_000

/** Waits until a condition is true. */
export function eventually<T>(look: () => T | Promise<T>) {
  return expect.poll(look, { timeout: PATIENCE_MS, interval: 10 })
}
