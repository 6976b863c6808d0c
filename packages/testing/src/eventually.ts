/** Only ends a wait for an event that never comes, like the limits of vitest.config.ts. */
export const PATIENCE_MS = 120_000

/** Asks again until a condition holds, because what a socket does is seen a moment later on the other side. */
export async function eventually<T>(ask: () => Promise<T> | T, holds: (value: T) => boolean): Promise<T> {
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    const value = await ask()
    if (holds(value)) return value
    if (performance.now() > until) throw new Error(`it never held; last value: ${JSON.stringify(value)}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
