const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
// A record may contain any duration.
const MOST_DAYS = 999

/** A readable duration: `0.4 ms`, `18 ms`, `1.24 s`, `3 min 5 s`, `2 h 4 min`. */
export function formatMs(ms: number): string {
  if (ms < 0 || !Number.isFinite(ms)) return '–'
  if (ms < 10) return `${trim(ms, 1)} ms`
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < MINUTE_MS) return `${trim(ms / 1000, 2)} s`
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min ${Math.floor((ms % MINUTE_MS) / 1000)} s`
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)} h ${Math.floor((ms % HOUR_MS) / MINUTE_MS)} min`
  return ms < MOST_DAYS * DAY_MS ? `${Math.floor(ms / DAY_MS)} d` : `over ${MOST_DAYS} d`
}

function trim(value: number, digits: number): string {
  return value.toFixed(digits).replace(/\.?0+$/, '')
}

/** The word for a time that a record does not have. */
export const UNKNOWN_TIME = 'unknown'

// Programs write an absent time as 0, which is 1970, or as the year 1.
const FIRST_TIME = Date.UTC(2000, 0)

/** The milliseconds of an ISO time; `undefined` for an absent one. */
export function knownTime(iso: string): number | undefined {
  const ms = Date.parse(iso)
  return ms >= FIRST_TIME ? ms : undefined
}

/** The time of day of an ISO time, with milliseconds. An absent time is unknown; a text that is no time is returned unchanged. */
export function formatClock(iso: string): string {
  const ms = knownTime(iso)
  if (ms === undefined) return iso !== '' && Number.isNaN(Date.parse(iso)) ? iso : UNKNOWN_TIME
  const time = new Date(ms)
  const two = (value: number) => String(value).padStart(2, '0')
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')
  return `${clock}.${String(time.getMilliseconds()).padStart(3, '0')}`
}

/** The approximate age of a time. */
export function formatAgo(iso: string, now: number): string {
  const at = knownTime(iso)
  if (at === undefined) return UNKNOWN_TIME
  const ms = now - at
  if (ms < 5000) return 'just now'
  if (ms < MINUTE_MS) return `${Math.floor(ms / 1000)} s ago`
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min ago`
  return `${Math.floor(ms / HOUR_MS)} h ago`
}

/** A value as formatted JSON. */
export function formatJson(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? ''
}
