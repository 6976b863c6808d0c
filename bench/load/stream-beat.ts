/** Ten events a second for each stream, spread over the streams as from many independent sources. */
export const SLOTS = 100
/** The time of one slot. */
export const SLOT_MS = 1
/** The event of a stream whose reader stalls. */
export const LARGE = 'x'.repeat(16_000)

/** The time, by the clock of the machine, which is that of the clients too. */
export function stamp(): string {
  return String(Number(process.hrtime.bigint()) / 1e6)
}
