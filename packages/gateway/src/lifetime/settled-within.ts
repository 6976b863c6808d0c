/** Resolves when something is done or has failed, or when that takes too long. */
export async function settledWithin(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([work.catch(() => undefined), late])
  clearTimeout(timer)
}
