import { parseJson } from '@agentic-rest/profile'

/** The most lines that a log has after its last checkpoint. */
export const CHECKPOINT_LINES = 1_000
/** The longest time from a line to the checkpoint that covers it, on a disk that answers. */
export const CHECKPOINT_MS = 30_000
/** Twice the interval: a running log never has older lines without a checkpoint. */
const LONGEST_UNCOVERED_MS = 60_000

/** The lines after the last checkpoint of a log. */
export interface UncoveredLines {
  readonly count: number
  /** The first of them. */
  readonly first: Buffer | undefined
}

/**
 * The reason why a writer cannot have left these lines without a checkpoint, if there is one. Anybody can chain lines
 * without the key, so such lines may be forged, and the next checkpoint would sign them.
 */
export function uncoveredFault({ count, first }: UncoveredLines, now: Date): string | undefined {
  if (count > CHECKPOINT_LINES)
    return `no checkpoint covers the last ${count} lines, and a writer leaves at most ${CHECKPOINT_LINES}`
  if (first === undefined) return undefined
  const age = now.getTime() - writtenAt(first)
  // The time is the word of who wrote the line: one ahead of the clock would never become old.
  if (age < -LONGEST_UNCOVERED_MS)
    return `no checkpoint covers the last ${count} lines, which are dated more than a minute ahead of the clock`
  // Also false for a line without a time.
  return age <= LONGEST_UNCOVERED_MS
    ? undefined
    : `no checkpoint covers the last ${count} lines, which are older than a minute`
}

/** The time of the write; older versions wrote only the time of the record. */
function writtenAt(line: Buffer): number {
  const { written, timestamp } = Object(parseJson(line.toString()).value)
  return Date.parse(written ?? timestamp)
}
