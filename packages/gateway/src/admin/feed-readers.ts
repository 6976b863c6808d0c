import { outcomes } from '@agentic-rest/profile'
import type { Exchange, Reply } from '../exchange.ts'

/** Who reads the feed. */
export interface FeedReaders {
  readonly count: number
  readonly isFull: boolean
  /** Begins the answer of a reader. */
  add(exchange: Exchange, headers: readonly string[]): void
  /** Gives everyone the same bytes; one who is behind misses them. */
  send(bytes: Uint8Array): void
  close(): void
}

interface Reader {
  readonly reply: Reply
  readonly since: number
  /** Set while bytes that were sent earlier are not read yet. */
  stalledAt: number | undefined
}

/** How many may read at a time. */
export const MAX_FEED_READERS = 16
const MAX_STALL_MS = 10_000
// A feed outlives the token that opened it; whoever reads on has to show one again.
const MAX_FEED_MS = 15 * 60_000
const OPENING = Buffer.from('retry: 1000\n\n')

/** Makes the list of readers. */
export function createFeedReaders(): FeedReaders {
  const readers = new Set<Reader>()
  return {
    get count() {
      return readers.size
    },
    get isFull() {
      return readers.size >= MAX_FEED_READERS
    },
    add({ reply }, headers) {
      const reader: Reader = { reply, since: performance.now(), stalledAt: undefined }
      readers.add(reader)
      void reply.whenEnded().then(() => readers.delete(reader))
      reply.head(outcomes.success.status, headers)
      write(reader, OPENING)
    },
    send(bytes) {
      const now = performance.now()
      for (const reader of readers) sendTo(reader, bytes, now)
    },
    close() {
      for (const { reply } of readers) reply.end()
      readers.clear()
    },
  }
}

function sendTo(reader: Reader, bytes: Uint8Array, now: number): void {
  const { reply, since, stalledAt } = reader
  if (reply.isClosed) return
  if (now - since > MAX_FEED_MS) reply.end()
  else if (stalledAt === undefined) write(reader, bytes)
  // Nothing is kept for a reader that stalls (F13); one that stays so is let go.
  else if (now - stalledAt > MAX_STALL_MS) reply.destroy()
}

function write(reader: Reader, bytes: Uint8Array): void {
  if (reader.reply.write(bytes)) return
  reader.stalledAt = performance.now()
  reader.reply.onDrain(() => {
    reader.stalledAt = undefined
  })
}
