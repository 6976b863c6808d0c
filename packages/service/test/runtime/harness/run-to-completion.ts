import { expect } from 'vitest'
import type { Store } from '../../../src/runtime/store.ts'

/** Waits until no operation of a store is running. */
export async function allEnded(store: Store, timeout: number): Promise<void> {
  const working = async () => {
    try {
      const [row] = await store.query<{ count: number }>(
        "SELECT count(*)::int AS count FROM agentic_operations WHERE state = 'working'",
      )
      return row?.count
    } catch {
      // The server may be down at this moment, as some tests intend.
      return undefined
    }
  }
  await expect.poll(working, { timeout, interval: 100 }).toBe(0)
}

/** Checks that every operation is completed and every effect happened once. */
export async function expectOneResultEach(store: Store, count: number): Promise<void> {
  const states = await store.query(
    'SELECT state, count(*)::int AS count FROM agentic_operations GROUP BY state',
  )
  expect(states).toEqual([{ state: 'completed', count }])
  const effects = await store.query(
    'SELECT count(*)::int AS all, count(DISTINCT name)::int AS names FROM effects',
  )
  expect(effects).toEqual([{ all: count, names: count }])
}
