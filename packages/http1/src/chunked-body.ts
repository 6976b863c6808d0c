import { headerKey } from './header-name.ts'
import { FORBIDDEN, LineCollector, REREAD_CHARACTERS } from './line-collector.ts'
import type { HeadLimits, MessageFaults } from './message-faults.ts'

/** What the chunks of one side may have. */
export interface ChunkRules {
  readonly faults: MessageFaults
  /** Of all trailers together. */
  readonly limits: HeadLimits
  readonly maxExtensionBytes: number
  readonly countsExtensionsOf: 'body' | 'chunk'
  /** RFC 9112, section 7.1.1, lets old senders put blanks around the parts of an extension. */
  readonly allowsBlanks: boolean
}

const LINE_END_BYTES = 2
const MAX_SIZE_DIGITS = REREAD_CHARACTERS
const CR = 0x0d
const LF = 0x0a

const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+"
const QUOTED = '"(?:[\\t\\x20\\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t\\x20-\\x7e\\x80-\\xff])*"'
const strictSizeLine = sizeLine('')
const lenientSizeLine = sizeLine('[ \\t]*')

/** A size below 2 to the 48, and extensions by their grammar. */
function sizeLine(blanks: string): RegExp {
  const value = `(?:${blanks}=${blanks}(?:${TOKEN}|${QUOTED}))?`
  return new RegExp(`^0*([0-9A-Fa-f]{1,12})((?:${blanks};${blanks}${TOKEN}${value})*)$`)
}

/** Reads chunked bodies, one at a time (RFC 9112, section 7.1). Trailers are checked and dropped. */
export class ChunkedBody {
  private state: 'size' | 'data' | 'end-of-data' | 'trailer' | 'done' = 'done'
  /** Remaining bytes of the chunk. */
  private left = 0
  private extensionBytes = 0
  private trailerBytes = 0
  private trailers = 0
  /** The characters of the size line before its extensions. */
  private digits = 0
  private readonly line = new LineCollector()
  private readonly rules: ChunkRules

  constructor(rules: ChunkRules) {
    this.rules = rules
  }

  get isComplete(): boolean {
    return this.state === 'done'
  }

  /** Prepares for another body. */
  begin(): void {
    this.state = 'size'
    this.extensionBytes = 0
    this.trailerBytes = 0
    this.trailers = 0
  }

  /** Reads on from `start` and returns the offset behind what it read. The memory of the data is only lent for the call. */
  read(bytes: Buffer, start: number, onData: (data: Buffer) => void): number {
    if (this.state === 'size' && this.line.isEmpty) {
      const end = readWholeChunks(bytes, start, onData)
      if (end > start) return end
    }
    if (this.state !== 'data') return this.readLine(bytes, start)
    const end = Math.min(bytes.length, start + this.left)
    this.left -= end - start
    if (this.left === 0) this.state = 'end-of-data'
    onData(bytes.subarray(start, end))
    return end
  }

  private readLine(bytes: Buffer, start: number): number {
    const end = this.line.take(bytes, start)
    this.refuseImpossible(this.line.text, this.line.known)
    if (this.line.isWhole) this.accept(this.line.finish())
    return end
  }

  /** Refuses a line that no further byte can complete, so that it is not waited for. Its `known` characters were valid. */
  private refuseImpossible(text: string, known: number): void {
    const { faults } = this.rules
    this.refuseTooLong(text, known)
    if (!FORBIDDEN.test(text) && (this.state !== 'end-of-data' || text === '')) return
    throw this.state === 'trailer' ? faults.control(false) : faults.chunkEnd()
  }

  private refuseTooLong(text: string, known: number): void {
    const { faults, limits, maxExtensionBytes } = this.rules
    const length = known + text.length
    if (this.state === 'trailer') {
      if (this.trailerBytes + length > limits.maxHeadBytes) throw faults.tooLarge(false)
      return
    }
    // Known characters are more than a size may have: its end is among them.
    if (known === 0) {
      const mark = text.indexOf(';')
      this.digits = mark === -1 ? length : mark
    }
    if (this.digits > MAX_SIZE_DIGITS) throw faults.chunkSize()
    if (this.extensionBytes + length - this.digits > maxExtensionBytes) throw faults.extensionsTooLarge()
  }

  private accept(line: string): void {
    if (this.state === 'size') this.acceptSize(line)
    else if (this.state === 'trailer') this.acceptTrailer(line)
    else this.state = 'size'
  }

  private acceptSize(line: string): void {
    const { faults, allowsBlanks, countsExtensionsOf } = this.rules
    const match = (allowsBlanks ? lenientSizeLine : strictSizeLine).exec(line)
    if (match === null) throw faults.chunkSize()
    if (countsExtensionsOf === 'body') this.extensionBytes += match[2]?.length ?? 0
    this.left = Number.parseInt(match[1] ?? '', 16)
    this.state = this.left === 0 ? 'trailer' : 'data'
  }

  private acceptTrailer(line: string): void {
    if (line === '') {
      this.state = 'done'
      return
    }
    const { faults, limits } = this.rules
    this.trailerBytes += line.length + LINE_END_BYTES
    this.trailers += 1
    if (this.trailers > limits.maxHeaders) throw faults.tooLarge(false)
    const key = headerKey(line.slice(0, Math.max(0, line.indexOf(':'))))
    // A trailer that frames could be merged into a head by another server (RFC 9110, section 6.5.1).
    if (key === '' || key === 'connection') throw faults.field()
    if (key === 'content-length') throw faults.length()
    if (key === 'transfer-encoding') throw faults.coding()
  }
}

const NO_DIGIT = 16
const hexDigits = Uint8Array.from({ length: 256 }, (_, byte) => {
  const digit = '0123456789abcdef'.indexOf(String.fromCharCode(byte).toLowerCase())
  return digit === -1 ? NO_DIGIT : digit
})
/** Larger chunks do not arrive in one piece. */
const MAX_WHOLE_DIGITS = 4

/**
 * Reads the chunks from `start` on that arrived whole and have no extension, as the events of a stream, and returns the
 * offset behind them. It leaves everything else to the way line by line, which takes 2 µs more for a chunk.
 */
function readWholeChunks(bytes: Buffer, start: number, onData: (data: Buffer) => void): number {
  let from = start
  while (from < bytes.length) {
    let size = 0
    let at = from
    for (; at < from + MAX_WHOLE_DIGITS; at += 1) {
      const digit = hexDigits[bytes[at] ?? 0] ?? NO_DIGIT
      if (digit === NO_DIGIT) break
      size = size * 16 + digit
    }
    const data = at + LINE_END_BYTES
    const end = data + size
    // The last chunk is followed by trailers.
    if (size === 0 || !isLineEnd(bytes, at) || !isLineEnd(bytes, end)) return from
    onData(bytes.subarray(data, end))
    from = end + LINE_END_BYTES
  }
  return from
}

function isLineEnd(bytes: Buffer, at: number): boolean {
  return bytes[at] === CR && bytes[at + 1] === LF
}
