/** How long a silence has to be before it means that nothing more will come. */
export interface QuietTime {
  ms(): number
  /** An answer came this long after the bytes before it. */
  heard(ms: number): void
}

const REMEMBERED = 200
const FACTOR = 4
const SHORTEST_MS = 150
const LONGEST_MS = 5000

/** Follows how fast answers come: on a busy machine a fixed time would take every slow answer for none. */
export function createQuietTime(): QuietTime {
  const recent: number[] = []
  return {
    ms: () =>
      recent.length < REMEMBERED
        ? LONGEST_MS / 5
        : Math.min(LONGEST_MS, Math.max(SHORTEST_MS, FACTOR * Math.max(...recent))),
    heard(ms) {
      recent.push(ms)
      if (recent.length > REMEMBERED) recent.shift()
    },
  }
}
