/**
 * CPU milliseconds that this process spends on some work: the least of several runs, or the first below `most`. Waiting for a
 * turn on a busy machine does not count, and collecting garbage or compiling does not count every time.
 */
export async function cpuTime(most: number, work: () => unknown, runs = 3): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let count = 0; count < runs && least >= most; count += 1) {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}
