import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { settledWithin } from '../lifetime/settled-within.ts'

/** Brings what workers write to one stream, line by line, so that no line of one stands inside a line of another. */
export interface LineRelay {
  add(source: Readable): void
  /** Resolves when all that was added is at its end, or when that takes too long. */
  settled(): Promise<void>
}

const LINE_END = 10
/** How long a reader that stalls may hold up the end. */
const SETTLE_MS = 1000

/**
 * Makes a relay that reads no faster than its lines are read: behind a reader that stalls the workers wait too, and their
 * bounded queues fill as they would without it (F10).
 */
export function createLineRelay(sink: Writable): LineRelay {
  const sources = new Set<Readable>()
  const write = (lines: Buffer) => {
    if (sink.write(lines)) return
    for (const source of sources) source.pause()
  }
  sink.on('drain', () => {
    for (const source of sources) source.resume()
  })
  // Nobody reads any more: the workers have to learn it, since they are who counts what is lost.
  const breakOff = () => {
    for (const source of sources) source.destroy()
  }
  sink.on('error', breakOff).on('close', breakOff)
  return {
    add(source) {
      if (sink.destroyed) {
        source.destroy()
        return
      }
      sources.add(source)
      source.once('close', () => sources.delete(source)).on('error', () => undefined)
      // Half a line of a process that died is no line, and is left out.
      splitLines(source, write)
      if (sink.writableNeedDrain) source.pause()
    },
    async settled() {
      const closed = [...sources].map((source) => once(source, 'close'))
      await settledWithin(SETTLE_MS, Promise.allSettled(closed))
    },
  }
}

/** Passes whole lines on; returns what tells the rest that is no line yet. */
export function splitLines(source: Readable, write: (lines: Buffer) => void): () => Buffer {
  let rest: Buffer[] = []
  source.on('data', (chunk: Buffer) => {
    const end = chunk.lastIndexOf(LINE_END) + 1
    if (end > 0) {
      write(Buffer.concat([...rest, chunk.subarray(0, end)]))
      rest = []
    }
    if (end < chunk.length) rest.push(chunk.subarray(end))
  })
  return () => Buffer.concat(rest)
}
