/** How many bytes of records are taken in, so that whoever posts cannot keep the gateway busy. */
export interface Intake {
  /** False when there was too much in the last second. */
  admits(bytes: number): boolean
}

/** Makes an allowance that fills up with time. */
export function createIntake(
  bytesPerSecond: number,
  now: () => number = performance.now.bind(performance),
): Intake {
  let allowance = bytesPerSecond
  let at = now()
  return {
    admits(bytes) {
      const elapsed = now() - at
      at += elapsed
      allowance = Math.min(bytesPerSecond, allowance + (elapsed * bytesPerSecond) / 1000)
      if (allowance < bytes) return false
      allowance -= bytes
      return true
    },
  }
}
