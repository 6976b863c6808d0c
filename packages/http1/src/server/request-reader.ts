import { ChunkedBody } from '../chunked-body.ts'
import { hasControlByte, WORD_BYTES } from '../control-bytes.ts'
import { FORBIDDEN, LineCollector } from '../line-collector.ts'
import { badRequest, headTooLarge } from './malformed.ts'
import { type HeadLimits, RequestLines, refuseImpossibleMethod, type WireHead } from './request-lines.ts'

/** Receives a request while it is read. */
export interface RequestReceiver {
  onHead(head: WireHead): void
  /** Bytes of the body. Their memory is only lent for the call. */
  onBody(bytes: Buffer): void
  /** The request is complete: the next byte belongs to another one. */
  onComplete(): void
}

const HEAD_END = Buffer.from('\r\n\r\n')
const LINE_END_BYTES = 2
const CR = 0x0d
const LF = 0x0a

/** Reads the requests of one connection, one after another (RFC 9112); the same for every way to cut their bytes. */
export class RequestReader {
  /** The first byte of a request has arrived, and not its last one. */
  isWithinRequest = false
  private readonly limits: HeadLimits
  private readonly receiver: RequestReceiver
  private readonly lines: RequestLines
  private readonly chunked: ChunkedBody
  private readonly onData: (bytes: Buffer) => void
  private state: 'head' | 'sized' | 'chunked' | 'unknown' = 'head'
  private readonly line = new LineCollector()
  /** The bytes of the head's complete lines. */
  private headBytes = 0
  /** Remaining bytes of a body with a length. */
  private left = 0

  constructor(limits: HeadLimits, receiver: RequestReceiver) {
    this.limits = limits
    this.receiver = receiver
    this.lines = new RequestLines(limits)
    this.chunked = new ChunkedBody(limits)
    this.onData = (bytes) => receiver.onBody(bytes)
  }

  /** Reads on from `start`, at most to the end of a request; returns the offset behind it. Throws a `MalformedRequestError`. */
  read(bytes: Buffer, start: number): number {
    switch (this.state) {
      case 'head':
        return this.readHead(bytes, start)
      case 'sized':
        return this.readSized(bytes, start)
      case 'chunked': {
        const end = this.chunked.read(bytes, start, this.onData)
        if (this.chunked.isComplete) this.complete()
        return end
      }
      case 'unknown':
        // No server knows where such a body ends: its connection carries nothing more.
        return bytes.length
    }
  }

  /** Throws when the client ends its side within a request. */
  end(): void {
    if (this.isWithinRequest) throw badRequest('HPE_INVALID_EOF_STATE')
  }

  private readHead(bytes: Buffer, start: number): number {
    if (this.isWithinRequest || !this.line.isEmpty) return this.readLine(bytes, start)
    return this.readWholeHead(bytes, start) ?? this.readLine(bytes, start)
  }

  /** Reads a head that arrived in one piece. Nothing leaves it to the way line by line, which knows every fault. */
  private readWholeHead(bytes: Buffer, start: number): number | undefined {
    const end = bytes.indexOf(HEAD_END, start)
    if (end === -1 || bytes[start] === CR) return undefined
    if (this.headBytes + end - start > this.limits.maxHeadBytes) return undefined
    const lineFeeds = plainLineFeeds(bytes, start, end)
    const text = bytes.toString('latin1', start, end)
    if (lineFeeds !== countLineEnds(text)) return undefined
    this.isWithinRequest = true
    let from = 0
    for (let line = 0; line < lineFeeds; line += 1) {
      const to = text.indexOf('\r', from)
      this.lines.read(text, from, to)
      from = to + LINE_END_BYTES
    }
    this.lines.read(text, from, text.length)
    this.beginBody()
    return end + HEAD_END.length
  }

  private readLine(bytes: Buffer, start: number): number {
    const end = this.line.take(bytes, start)
    this.refuseImpossible(this.line.text, this.line.known)
    if (this.line.isWhole) this.acceptLine(this.line.finish())
    return end
  }

  private acceptLine(line: string): void {
    this.headBytes += line.length + LINE_END_BYTES
    if (line !== '') this.lines.read(line, 0, line.length)
    // Empty lines before a request are skipped (RFC 9112, section 2.2); they count, so they come to an end.
    else if (this.lines.hasBegun) this.beginBody()
  }

  /** Refuses a line that no further byte can make valid, so that it is not waited for. Its `known` characters were valid. */
  private refuseImpossible(text: string, known: number): void {
    const isRequestLine = !this.lines.hasBegun
    if (text !== '') this.isWithinRequest = true
    if (isRequestLine && text !== '' && known === 0) refuseImpossibleMethod(text)
    // The empty line at the end of a head does not count.
    if (text === '' && known === 0 && !isRequestLine) return
    const room = this.limits.maxHeadBytes - this.headBytes - known
    if (FORBIDDEN.test(text.length > room ? text.slice(0, Math.max(0, room)) : text))
      throw badRequest(isRequestLine ? 'HPE_INVALID_URL' : 'HPE_INVALID_HEADER_TOKEN')
    if (text.length > room) throw headTooLarge(isRequestLine)
  }

  private beginBody(): void {
    const head = this.lines.take()
    this.headBytes = 0
    const { framing } = head
    if (framing === 'chunked') this.chunked.begin()
    this.left = typeof framing === 'number' ? framing : 0
    this.state = typeof framing === 'number' ? 'sized' : framing
    this.receiver.onHead(head)
    if (framing === 0) this.complete()
  }

  private readSized(bytes: Buffer, start: number): number {
    const end = Math.min(bytes.length, start + this.left)
    this.left -= end - start
    this.receiver.onBody(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end))
    if (this.left === 0) this.complete()
    return end
  }

  private complete(): void {
    this.state = 'head'
    this.isWithinRequest = false
    this.receiver.onComplete()
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
