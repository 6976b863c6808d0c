import { type AuditEvent, mediaTypeEssence, outcomes, parseJson } from '@agentic-rest/profile'
import { mappableFields } from '../config/audit-fields.ts'
import { checkTimestamp } from '../config/schema/formats.ts'

/** A record with the name of the part that wrote it. */
export interface PartRecord extends AuditEvent {
  readonly part: string
}

/** The bounds of posted records. */
export const POSTED_LIMITS = { records: 20_000, bytes: 16 * 1024 * 1024 } as const

/** The newest records of services and other gateways, bounded by count and by size. */
export class PostedRecords {
  readonly #limits: { readonly records: number; readonly bytes: number }
  // A queue in the order of arrival with a moving start, because `shift` moves the whole array.
  #queue: ({ readonly record: PartRecord; readonly bytes: number } | undefined)[] = []
  #first = 0
  #bytes = 0

  constructor(limits: { readonly records: number; readonly bytes: number } = POSTED_LIMITS) {
    this.#limits = limits
  }

  /** Adds records; the oldest are removed for them. */
  add(records: readonly PartRecord[]): void {
    for (const record of records) {
      const bytes = sizeOf(record)
      this.#queue.push({ record, bytes })
      this.#bytes += bytes
    }
    while (this.#isOver) {
      this.#bytes -= this.#queue[this.#first]?.bytes ?? 0
      // Without this line large records would stay in memory until the queue is sliced.
      this.#queue[this.#first] = undefined
      this.#first += 1
    }
    if (this.#first > this.#limits.records) {
      this.#queue = this.#queue.slice(this.#first)
      this.#first = 0
    }
  }

  *all(): Generator<PartRecord> {
    for (let index = this.#first; index < this.#queue.length; index += 1) {
      const entry = this.#queue[index]
      if (entry !== undefined) yield entry.record
    }
  }

  get #isOver(): boolean {
    return this.#queue.length - this.#first > this.#limits.records || this.#bytes > this.#limits.bytes
  }
}

// Measured with many short texts: the memory of objects, string headers and the attribute table beside the characters.
const RECORD_BYTES = 512
const ATTRIBUTE_BYTES = 96

/** The estimated memory of a record. A character counts two bytes, the most that it can take. */
function sizeOf({ attributes, ...fields }: PartRecord): number {
  const length = (texts: readonly string[]) => texts.reduce((sum, text) => sum + text.length, 0)
  const entries = Object.entries(attributes)
  const texts = length(Object.values(fields)) + length(entries.flat())
  return RECORD_BYTES + ATTRIBUTE_BYTES * entries.length + 2 * texts
}

/** Posted records, or their first fault. */
export type ReadRecords =
  | { readonly ok: true; readonly records: readonly PartRecord[] }
  | { readonly ok: false; readonly fault: string }

const LINES_TYPE = 'application/x-ndjson'
const MAX_RECORDS = 1_000
const MAX_TEXT_LENGTH = 1_024
const MAX_ATTRIBUTES = 64
const PART = /^[a-z0-9][a-z0-9._-]{0,63}$/

/** The fields of a record. In a posted record only the required fields must be present. */
const fields = ['event_type', ...mappableFields, 'outcome', 'timestamp'] as const

const required: readonly string[] = ['event_type', 'correlation_id', 'timestamp']

/** The part name of a gateway's own records. */
export const OWN_PART = 'gateway'

/** Reads posted records: one JSON object per line, or a JSON list. One bad record refuses all. */
export function readRecords(text: string, contentType: string | undefined, part: string): ReadRecords {
  // In lower case, so that no part passes for another one, or for the gateway, by its spelling.
  const name = part.toLowerCase()
  if (!PART.test(name) || name === OWN_PART) return refuse('the query has to name the part that wrote them')
  const values = readValues(text, contentType)
  if (typeof values === 'string') return refuse(values)
  if (values.length > MAX_RECORDS) return refuse(`there are more than ${MAX_RECORDS} records`)
  const records: PartRecord[] = []
  for (const [index, value] of values.entries()) {
    const record = readRecord(value, name)
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
  if (essence === LINES_TYPE) return parseLines(text)
  if (essence !== outcomes.success.mediaType)
    return `the body has to be ${LINES_TYPE} or ${outcomes.success.mediaType}`
  const { value, fault } = parseJson(text)
  if (fault) return NOT_JSON
  return Array.isArray(value) ? value : 'the body is not a list'
}

const NOT_JSON = 'the body is not JSON'

function parseLines(text: string): unknown[] | string {
  const readings = text
    .split('\n', MAX_RECORDS + 2)
    .filter((line) => line.trim() !== '')
    .map((line) => parseJson(line))
  return readings.some(({ fault }) => fault) ? NOT_JSON : readings.map(({ value }) => value)
}

/** Copies the fields of the profile only: any other content, such as a body, is dropped. */
function readRecord(value: unknown, part: string): PartRecord | string {
  if (typeof value !== 'object' || value === null) return 'it is not an object'
  const given = value as Readonly<Record<string, unknown>>
  const record: Record<string, string> = {}
  for (const field of fields) {
    const text = readField(given, field)
    if (!isShortText(text)) return `${field} is not a text of at most ${MAX_TEXT_LENGTH} characters`
    if (text === '' && required.includes(field)) return `${field} is missing`
    record[field] = text
  }
  if (checkTimestamp(record['timestamp'] ?? '') !== undefined) return 'timestamp is none'
  const attributes = readAttributes(Object.hasOwn(given, 'attributes') ? given['attributes'] : {})
  if (attributes === undefined) return 'attributes is not a map of short texts'
  return { ...(record as Record<(typeof fields)[number], string>), attributes, part }
}

function readField(given: Readonly<Record<string, unknown>>, field: string): unknown {
  if (!Object.hasOwn(given, field)) return ''
  return field === 'resource_id' ? cutText(given[field]) : given[field]
}

function readAttributes(value: unknown): Record<string, string> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const entries = Object.entries(value).map(([name, text]) => [name, cutText(text)] as const)
  const good = entries.every(([name, text]) => isShortText(name) && isShortText(text))
  if (!good || entries.length > MAX_ATTRIBUTES) return undefined
  return Object.assign(Object.create(null), Object.fromEntries(entries))
}

/**
 * Callers choose the length of resources and paths: a refusal would let one of them hide the records of others in the
 * same post. It copies, because a slice would keep the whole text in memory.
 */
function cutText(value: unknown): unknown {
  const isLong = typeof value === 'string' && value.length > MAX_TEXT_LENGTH
  return isLong ? Buffer.from(value.slice(0, MAX_TEXT_LENGTH), 'utf16le').toString('utf16le') : value
}

function isShortText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_TEXT_LENGTH
}
