import { mediaTypeEssence, outcomes } from '@agentic-rest/profile'
import { checkTimestamp } from '../config/schema/formats.ts'
import type { PartRecord } from './posted-records.ts'

/** Records that were posted, or what is wrong with them. */
export type ReadRecords =
  | { readonly ok: true; readonly records: readonly PartRecord[] }
  | { readonly ok: false; readonly fault: string }

const LINES_TYPE = 'application/x-ndjson'
const MAX_RECORDS = 1_000
const MAX_TEXT_LENGTH = 1_024
const MAX_ATTRIBUTES = 64
const PART = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** The fields of a record; a posted one may leave out all but those that place it. */
const fields = [
  'event_type',
  'tenant_id',
  'actor_id',
  'request_id',
  'correlation_id',
  'operation',
  'resource_id',
  'outcome',
  'timestamp',
] as const

const required: readonly string[] = ['event_type', 'correlation_id', 'timestamp']

/** The name under which a gateway shows its own records. */
export const OWN_PART = 'gateway'

/** Reads posted records: one JSON object a line, or a JSON list. All are good, or none is taken. */
export function readRecords(text: string, contentType: string | undefined, part: string): ReadRecords {
  if (!PART.test(part) || part === OWN_PART) return refuse('the query has to name the part that wrote them')
  const values = readValues(text, contentType)
  if (typeof values === 'string') return refuse(values)
  if (values.length > MAX_RECORDS) return refuse(`there are more than ${MAX_RECORDS} records`)
  const records: PartRecord[] = []
  for (const [index, value] of values.entries()) {
    const record = readRecord(value, part)
    if (typeof record === 'string') return refuse(`record ${index + 1}: ${record}`)
    records.push(record)
  }
  return { ok: true, records }
}

function refuse(fault: string): ReadRecords {
  return { ok: false, fault }
}

function readValues(text: string, contentType: string | undefined): readonly unknown[] | string {
  const essence = mediaTypeEssence(contentType ?? '')
  try {
    if (essence === LINES_TYPE) return parseLines(text)
    if (essence !== outcomes.success.mediaType)
      return `the body has to be ${LINES_TYPE} or ${outcomes.success.mediaType}`
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : 'the body is not a list'
  } catch {
    return 'the body is not JSON'
  }
}

function parseLines(text: string): unknown[] {
  return text
    .split('\n', MAX_RECORDS + 2)
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line))
}

/** Takes over the fields of the profile and nothing else: a body that came along is not kept. */
function readRecord(value: unknown, part: string): PartRecord | string {
  if (typeof value !== 'object' || value === null) return 'it is not an object'
  const given = value as Readonly<Record<string, unknown>>
  const record: Record<string, string> = {}
  for (const field of fields) {
    const text = Object.hasOwn(given, field) ? given[field] : ''
    if (!isShortText(text)) return `${field} is not a text of at most ${MAX_TEXT_LENGTH} characters`
    if (text === '' && required.includes(field)) return `${field} is missing`
    record[field] = text
  }
  if (checkTimestamp(record['timestamp'] ?? '') !== undefined) return 'timestamp is none'
  const attributes = readAttributes(Object.hasOwn(given, 'attributes') ? given['attributes'] : {})
  if (attributes === undefined) return 'attributes is not a map of short texts'
  return { ...(record as Record<(typeof fields)[number], string>), attributes, part }
}

function readAttributes(value: unknown): Record<string, string> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const entries = Object.entries(value)
  const good = entries.every(([name, text]) => isShortText(name) && isShortText(text))
  if (!good || entries.length > MAX_ATTRIBUTES) return undefined
  return Object.assign(Object.create(null), value)
}

function isShortText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_TEXT_LENGTH
}
