/** A calendar period in UTC. */
export type PeriodName = 'day' | 'month'

const DAY_SECONDS = 86_400
const MILLISECONDS = 1000

/** The first second of the period of a moment; both in seconds since 1970. */
export function periodStart(per: PeriodName, seconds: number): number {
  if (per === 'day') return seconds - (seconds % DAY_SECONDS)
  const date = new Date(seconds * MILLISECONDS)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / MILLISECONDS
}

/** The first second after a period. */
export function periodEnd(per: PeriodName, start: number): number {
  if (per === 'day') return start + DAY_SECONDS
  const date = new Date(start * MILLISECONDS)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / MILLISECONDS
}
