/** Long enough for bytes to move, if there is room for them anywhere. */
const QUIET_MS = 300

/** Resolves with a number that no longer changes, such as the bytes that were sent before all buffers were full. */
export async function untilStill(read: () => number): Promise<number> {
  let before = Number.NaN
  while (read() !== before) {
    before = read()
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS))
  }
  return before
}
