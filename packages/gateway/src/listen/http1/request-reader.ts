import { ChunkedBody, endOfLine, FORBIDDEN } from './chunked-body.ts'
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
const NOTHING = Buffer.alloc(0)
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
  /** The first bytes of an incomplete line. */
  private pending: Buffer = NOTHING
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
    if (!this.isWithinRequest && this.pending.length === 0) {
      const end = bytes.indexOf(HEAD_END, start)
      if (end !== -1 && this.fits(end - start) && this.readWholeHead(bytes, start, end))
        return end + HEAD_END.length
    }
    return this.readLine(bytes, start)
  }

  private fits(length: number): boolean {
    return this.headBytes + length <= this.limits.maxHeadBytes
  }

  /** Reads a head that arrived in one piece. False leaves it to the way line by line, which knows every fault. */
  private readWholeHead(bytes: Buffer, start: number, end: number): boolean {
    if (bytes[start] === CR) return false
    const text = bytes.toString('latin1', start, end)
    if (FORBIDDEN.test(text)) return false
    this.isWithinRequest = true
    for (let from = 0; from <= text.length; ) {
      const found = text.indexOf('\r', from)
      const to = found === -1 ? text.length : found
      this.lines.read(text, from, to)
      from = to + LINE_END_BYTES
    }
    this.beginBody()
    return true
  }

  private readLine(bytes: Buffer, start: number): number {
    const known = this.pending.length
    const isEndTorn = known > 0 && this.pending[known - 1] === CR && bytes[start] === LF
    const found = isEndTorn ? start + 1 : endOfLine(bytes, start)
    const end = found ?? bytes.length
    const part = bytes.subarray(start, end)
    const line = known === 0 ? part : Buffer.concat([this.pending, part])
    if (found === undefined) {
      this.pending = known === 0 ? Buffer.from(line) : line
      this.refuseImpossible(line.toString('latin1', 0, line[line.length - 1] === CR ? line.length - 1 : line.length))
      return end
    }
    this.pending = NOTHING
    this.acceptLine(line.toString('latin1', 0, line.length - LINE_END_BYTES))
    return end
  }

  private acceptLine(line: string): void {
    this.refuseImpossible(line)
    this.headBytes += line.length + LINE_END_BYTES
    if (line !== '') this.lines.read(line, 0, line.length)
    // Empty lines before a request are skipped (RFC 9112, section 2.2); they count, so they come to an end.
    else if (this.lines.hasBegun) this.beginBody()
  }

  /** Refuses a line that no further byte can make valid, so that it is not waited for. */
  private refuseImpossible(line: string): void {
    const isRequestLine = !this.lines.hasBegun
    if (line !== '') this.isWithinRequest = true
    if (isRequestLine && line !== '') refuseImpossibleMethod(line)
    const room = this.limits.maxHeadBytes - this.headBytes
    if (FORBIDDEN.test(line.length > room ? line.slice(0, Math.max(0, room)) : line))
      throw badRequest(isRequestLine ? 'HPE_INVALID_URL' : 'HPE_INVALID_HEADER_TOKEN')
    if (line.length > room) throw headTooLarge(isRequestLine)
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
