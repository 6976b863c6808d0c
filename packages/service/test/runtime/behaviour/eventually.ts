import { expect } from 'vitest'

/** Waits until a condition is true. */
export function eventually<T>(look: () => T | Promise<T>) {
  return expect.poll(look, { interval: 10 })
}
