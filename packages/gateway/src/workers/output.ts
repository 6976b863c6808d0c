import { once } from 'node:events'
import { type Readable, Writable } from 'node:stream'
import { settledWithin } from '../lifetime/turns.ts'

const LINE_END = 10
/** The longest time that a stalled reader delays the end. */
const SETTLE_MS = 1000
const BATCH_MS = 10
const LARGE_BYTES = 32_768

/**
 * Copies the stdout of all workers to one stream, in whole lines: a line of one worker never splits a line of another. It
 * reads no faster than its own reader. Behind a stalled reader the workers' bounded queues fill, as in one process (F10).
 */
export class LineRelay {
  readonly #sink: Writable
  readonly #sources = new Set<Readable>()

  constructor(sink: Writable) {
    this.#sink = sink
    sink.on('drain', () => this.#each((source) => source.resume()))
    // The workers have to notice the missing reader: they count lost records.
    const destroyAll = () => this.#each((source) => source.destroy())
    sink.on('error', destroyAll).on('close', destroyAll)
  }

  add(source: Readable): void {
    if (this.#sink.destroyed) {
      source.destroy()
      return
    }
    this.#sources.add(source)
    source.once('close', () => this.#sources.delete(source)).on('error', () => undefined)
    // The last half line of a killed worker is dropped.
    splitLines(source, (lines) => {
      if (!this.#sink.write(lines)) this.#each((other) => other.pause())
    })
    if (this.#sink.writableNeedDrain) source.pause()
  }

  /** Resolves when all sources have ended, or after a second. */
  async settled(): Promise<void> {
    const closed = [...this.#sources].map((source) => once(source, 'close'))
    await settledWithin(SETTLE_MS, Promise.allSettled(closed))
  }

  #each(change: (source: Readable) => void): void {
    for (const source of this.#sources) change(source)
  }
}

/** Writes the log of a worker in whole lines. Its last half line may say why it ended, and is written too. */
export function relayLog(stderr: Readable, write: (lines: string) => void): void {
  const rest = splitLines(stderr, (lines) => write(String(lines)))
  stderr
    .on('error', () => undefined)
    .once('end', () => {
      if (rest().length > 0) write(`${rest()}\n`)
    })
}

/** Passes whole lines on; returns a function that gives the unfinished line. */
function splitLines(source: Readable, write: (lines: Buffer) => void): () => Buffer {
  let rest: Buffer[] = []
  source.on('data', (chunk: Buffer) => {
    const end = chunk.lastIndexOf(LINE_END) + 1
    if (end > 0) {
      const lines = chunk.subarray(0, end)
      write(rest.length === 0 ? lines : Buffer.concat([...rest, lines]))
      rest = []
    }
    if (end < chunk.length) rest.push(chunk.subarray(end))
  })
  return () => Buffer.concat(rest)
}

/**
 * Delays small writes of a worker by 10 ms, so that their writer collects more for the next one: each write also wakes the
 * supervisor.
 */
export function createBatchedOutput(stdout: Writable): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      const pass = () => void stdout.write(chunk, (error) => done(error ?? lossOf(stdout)))
      if (chunk.length >= LARGE_BYTES) pass()
      else setTimeout(pass, BATCH_MS)
    },
  })
}

/** Destroying a stream completes its pending write without an error, though nothing was written. */
function lossOf({ destroyed }: Writable): Error | null {
  return destroyed ? new Error('stdout is closed') : null
}
