import { InvalidAnswerError, refuseControls } from './answer-head.ts'

/** Takes a chunked body apart (RFC 9112, section 7.1). */
export interface ChunkedBody {
  /** Another body begins. */
  begin(): void
  /** Takes one part off the beginning, and returns what is behind it. Throws an `InvalidAnswerError`. */
  read(bytes: Buffer, take: (chunk: Buffer) => void): Buffer
  readonly isComplete: () => boolean
}

const MAX_LINE_BYTES = 1024
const MAX_TRAILER_BYTES = 16_384
const LINE_END = Buffer.from('\r\n')
const NOTHING = Buffer.alloc(0)
// A size, and extensions that nobody reads.
const SIZE_LINE = /^([0-9A-Fa-f]{1,12})(?:[ \t]*;[\t\x20-\x7e\x80-\xff]*)?$/

type Place = 'size' | 'data' | 'end-of-data' | 'trailer' | 'done'

/** Makes the reader of chunked bodies, one after another. */
export function createChunkedBody(): ChunkedBody {
  let place: Place = 'size'
  let left = 0
  let trailerBytes = 0
  /** A line that has come in part. */
  let pending = NOTHING

  function readData(bytes: Buffer, take: (chunk: Buffer) => void): Buffer {
    const size = Math.min(left, bytes.length)
    left -= size
    if (left === 0) place = 'end-of-data'
    take(Buffer.from(bytes.subarray(0, size)))
    return bytes.subarray(size)
  }

  function readLine(given: Buffer): Buffer {
    const bytes = pending.length === 0 ? given : Buffer.concat([pending, given])
    const end = bytes.indexOf(LINE_END)
    if ((end === -1 ? bytes.length : end) > MAX_LINE_BYTES)
      throw new InvalidAnswerError('a line between chunks that is too long')
    pending = end === -1 ? Buffer.from(bytes) : NOTHING
    if (end === -1) return NOTHING
    place = afterLine(bytes.toString('latin1', 0, end))
    return bytes.subarray(end + LINE_END.length)
  }

  function afterLine(line: string): Place {
    if (place === 'size') return afterSize(line)
    if (place === 'trailer') return afterTrailer(line)
    if (line !== '') throw new InvalidAnswerError('a chunk that is longer than it says')
    return 'size'
  }

  function afterSize(line: string): Place {
    const match = SIZE_LINE.exec(line)
    if (match === null) throw new InvalidAnswerError('a chunk size that is none')
    left = Number.parseInt(match[1] ?? '', 16)
    return left === 0 ? 'trailer' : 'data'
  }

  /** Trailers are read and dropped. */
  function afterTrailer(line: string): Place {
    refuseControls(line)
    trailerBytes += line.length
    if (trailerBytes > MAX_TRAILER_BYTES) throw new InvalidAnswerError('trailers that are too large')
    return line === '' ? 'done' : 'trailer'
  }

  return {
    begin() {
      place = 'size'
      trailerBytes = 0
      pending = NOTHING
    },
    read: (bytes, take) => (place === 'data' ? readData(bytes, take) : readLine(bytes)),
    isComplete: () => place === 'done',
  }
}
