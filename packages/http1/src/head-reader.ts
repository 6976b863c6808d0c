import { hasControlByte, WORD_BYTES } from './control-bytes.ts'
import { FORBIDDEN, LineCollector } from './line-collector.ts'
import type { HeadLimits, MessageFaults } from './message-faults.ts'

/** Reads the lines of one head after another. */
export interface HeadLines<Head> {
  /** The first line has been read. */
  readonly hasBegun: boolean
  /** Throws for the first characters of a first line that no further ones can complete. */
  refuseImpossibleStart(text: string): void
  /** Reads the part of a text from `start` to `end` as the next line. */
  read(text: string, start: number, end: number): void
  /** Takes the head whose lines were read, and prepares for the next one. */
  take(): Head
}

const HEAD_END = Buffer.from('\r\n\r\n')
const LINE_END_BYTES = 2
const CR = 0x0d
const LF = 0x0a

/** Cuts the bytes of a connection into the lines of heads (RFC 9112, section 2.1); the same for every way to cut the bytes. */
export class HeadReader<Head> {
  /** A byte of a head has arrived, and not its last one. Empty lines before it do not count. */
  isWithin = false
  private readonly lines: HeadLines<Head>
  private readonly limits: HeadLimits
  private readonly faults: MessageFaults
  private readonly line = new LineCollector()
  /** The bytes of the head's complete lines. */
  private headBytes = 0
  private isComplete = false

  constructor(lines: HeadLines<Head>, limits: HeadLimits, faults: MessageFaults) {
    this.lines = lines
    this.limits = limits
    this.faults = faults
  }

  /** Reads on from `start`, at most to the end of a head, and returns the offset behind it. */
  read(bytes: Buffer, start: number): number {
    if (this.isWithin || !this.line.isEmpty) return this.readLine(bytes, start)
    return this.readWhole(bytes, start) ?? this.readLine(bytes, start)
  }

  /** The head that the last bytes have completed, once. */
  take(): Head | undefined {
    if (!this.isComplete) return undefined
    this.isComplete = false
    this.isWithin = false
    this.headBytes = 0
    return this.lines.take()
  }

  /** Reads a head that arrived in one piece. Nothing leaves it to the way line by line, which knows every fault. */
  private readWhole(bytes: Buffer, start: number): number | undefined {
    const end = bytes.indexOf(HEAD_END, start)
    if (end === -1 || bytes[start] === CR) return undefined
    if (this.headBytes + end - start > this.limits.maxHeadBytes) return undefined
    const lineFeeds = plainLineFeeds(bytes, start, end)
    const text = bytes.toString('latin1', start, end)
    if (lineFeeds !== countLineEnds(text)) return undefined
    this.isWithin = true
    let from = 0
    for (let line = 0; line < lineFeeds; line += 1) {
      const to = text.indexOf('\r', from)
      this.lines.read(text, from, to)
      from = to + LINE_END_BYTES
    }
    this.lines.read(text, from, text.length)
    this.isComplete = true
    return end + HEAD_END.length
  }

  private readLine(bytes: Buffer, start: number): number {
    const end = this.line.take(bytes, start)
    this.refuseImpossible(this.line.text, this.line.known)
    if (this.line.isWhole) this.accept(this.line.finish())
    return end
  }

  private accept(line: string): void {
    this.headBytes += line.length + LINE_END_BYTES
    if (line !== '') this.lines.read(line, 0, line.length)
    // Empty lines before a head are skipped (RFC 9112, section 2.2); they count, so they come to an end.
    else if (this.lines.hasBegun) this.isComplete = true
  }

  /** Refuses a line that no further byte can make valid, so that it is not waited for. Its `known` characters were valid. */
  private refuseImpossible(text: string, known: number): void {
    const isFirstLine = !this.lines.hasBegun
    if (text !== '') this.isWithin = true
    if (isFirstLine && text !== '' && known === 0) this.lines.refuseImpossibleStart(text)
    // The empty line at the end of a head does not count.
    if (text === '' && known === 0 && !isFirstLine) return
    const room = this.limits.maxHeadBytes - this.headBytes - known
    if (FORBIDDEN.test(text.length > room ? text.slice(0, Math.max(0, room)) : text))
      throw this.faults.control(isFirstLine)
    if (text.length > room) throw this.faults.tooLarge(isFirstLine)
  }
}

const isForbidden = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte !== CR && byte !== LF && FORBIDDEN.test(String.fromCharCode(byte)) ? 1 : 0,
)

const NO_WORDS = new Int32Array(0)

/** Counts the line feeds of a head; NaN for one with a control character. */
function plainLineFeeds(bytes: Buffer, start: number, end: number): number {
  const misaligned = (bytes.byteOffset + start) % WORD_BYTES
  const firstWord = Math.min(end, misaligned === 0 ? start : start + WORD_BYTES - misaligned)
  const count = (end - firstWord) >> 2
  const words = count === 0 ? NO_WORDS : new Int32Array(bytes.buffer, bytes.byteOffset + firstWord, count)
  let lineFeeds = lineFeedsBetween(bytes, start, firstWord)
  for (let index = 0; index < count; index += 1) {
    if (!hasControlByte(words[index] as number)) continue
    const at = firstWord + index * WORD_BYTES
    lineFeeds += lineFeedsBetween(bytes, at, at + WORD_BYTES)
  }
  return lineFeeds + lineFeedsBetween(bytes, firstWord + count * WORD_BYTES, end)
}

function lineFeedsBetween(bytes: Buffer, start: number, end: number): number {
  let count = 0
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] as number
    if (isForbidden[byte] === 1) return Number.NaN
    if (byte === LF) count += 1
  }
  return count
}

/** Counts the pairs of CR and LF; NaN where a CR has no LF. */
function countLineEnds(text: string): number {
  let count = 0
  for (let at = text.indexOf('\r'); at !== -1; at = text.indexOf('\r', at + LINE_END_BYTES)) {
    if (text.charCodeAt(at + 1) !== LF) return Number.NaN
    count += 1
  }
  return count
}
