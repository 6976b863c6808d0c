import type { AuditRecord } from '../api/audit-records.ts'
import { formatMs } from '../shell/format.ts'

/** Whether a record is that of an event stream. */
export function isStream({ attributes }: Pick<AuditRecord, 'attributes'>): boolean {
  return attributes.get('events') !== undefined
}

/** A stream in a few words: the count of its events, and the time to the first one. Undefined for any other answer. */
export function streamNote({ attributes }: Pick<AuditRecord, 'attributes'>): string | undefined {
  const events = Number(attributes.get('events') ?? Number.NaN)
  if (!Number.isInteger(events)) return undefined
  const count = `${events} ${events === 1 ? 'event' : 'events'}`
  const firstMs = Number(attributes.get('first_event_ms') ?? Number.NaN)
  return Number.isFinite(firstMs) ? `${count}, the first after ${formatMs(firstMs)}` : count
}

const ends: ReadonlyMap<unknown, string> = new Map([
  ['complete', 'complete'],
  ['client_disconnect', 'the client left'],
  ['error', 'broken'],
])

/** How a stream ended, in words; empty for any other answer. */
export function streamEnd({ attributes }: Pick<AuditRecord, 'attributes'>): string {
  return ends.get(attributes.get('end')) ?? ''
}
