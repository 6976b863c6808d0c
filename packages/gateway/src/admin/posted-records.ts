import type { AuditEvent } from '@agentic-rest/profile'

/** A record with the name of the part that wrote it. */
export interface PartRecord extends AuditEvent {
  readonly part: string
}

/** Records of services and other gateways, the newest of them. */
export interface PostedRecords {
  /** Takes records; the oldest make room. */
  add(records: readonly PartRecord[]): void
  all(): Iterable<PartRecord>
}

/** What is kept of them at most. */
export const POSTED_LIMITS = { records: 20_000, bytes: 16 * 1024 * 1024 } as const

interface Kept {
  readonly record: PartRecord
  readonly bytes: number
}

/** Makes the place for them. It is bounded by count and by size, whatever ids they carry. */
export function createPostedRecords(
  limits: { records: number; bytes: number } = POSTED_LIMITS,
): PostedRecords {
  // In the order of arrival; a queue with a moving start, since taking off the front of an array moves all of it.
  let kept: (Kept | undefined)[] = []
  let first = 0
  let bytes = 0
  const isOver = () => kept.length - first > limits.records || bytes > limits.bytes
  return {
    add(records) {
      for (const record of records) {
        const size = sizeOf(record)
        kept.push({ record, bytes: size })
        bytes += size
      }
      while (isOver()) {
        bytes -= kept[first]?.bytes ?? 0
        // Large ones go long before the queue is moved: without this line they would all stay in memory until then.
        kept[first] = undefined
        first += 1
      }
      if (first > limits.records) {
        kept = kept.slice(first)
        first = 0
      }
    },
    *all() {
      for (let index = first; index < kept.length; index += 1) {
        const entry = kept[index]
        if (entry !== undefined) yield entry.record
      }
    },
  }
}

// Measured with many short texts: what objects, the heads of texts and the table of attributes take beside the characters.
const RECORD_BYTES = 512
const ATTRIBUTE_BYTES = 96

/** About what a record takes: texts are counted at two bytes a character, the worst that they can take. */
function sizeOf({ attributes, ...fields }: PartRecord): number {
  const length = (texts: readonly string[]) => texts.reduce((sum, text) => sum + text.length, 0)
  const entries = Object.entries(attributes)
  const texts = length(Object.values(fields)) + length(entries.flat())
  return RECORD_BYTES + ATTRIBUTE_BYTES * entries.length + 2 * texts
}
