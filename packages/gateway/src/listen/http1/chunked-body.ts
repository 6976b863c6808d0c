import { badRequest, extensionsTooLarge, headTooLarge } from './malformed.ts'
import { type HeadLimits, headerKey } from './request-lines.ts'

const NOTHING = Buffer.alloc(0)
const CR = 0x0d
const LF = 0x0a
const LINE_END = Buffer.from('\r\n')
/** All extensions of a body together. */
const MAX_EXTENSION_BYTES = 16_384
const MAX_SIZE_DIGITS = 64

// A size below 2 to the 52, and extensions by their grammar (RFC 9112, section 7.1.1) without blanks.
const SIZE_LINE =
  /^0*([0-9A-Fa-f]{1,13})((?:;[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:=(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+|"(?:[\t\x20\x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t\x20-\x7e\x80-\xff])*"))?)*)$/

/** CR and LF only as a pair, and no other control character but the tab (RFC 9110, section 5.5). */
export const FORBIDDEN = /\r(?!\n)|(?<!\r)\n|[^\t\r\n\x20-\x7e\x80-\xff]/

/** The offset behind the first line end; nothing without one. */
export function endOfLine(bytes: Buffer, start: number): number | undefined {
  const found = bytes.indexOf(LINE_END, start)
  return found === -1 ? undefined : found + LINE_END.length
}

/** Reads chunked bodies, one at a time (RFC 9112, section 7.1). Trailers are checked and dropped. */
export class ChunkedBody {
  private state: 'size' | 'data' | 'end-of-data' | 'trailer' | 'done' = 'done'
  /** Remaining bytes of the chunk. */
  private left = 0
  private extensionBytes = 0
  private trailerBytes = 0
  private trailers = 0
  /** The first bytes of an incomplete line. */
  private pending: Buffer = NOTHING
  private readonly limits: HeadLimits

  constructor(limits: HeadLimits) {
    this.limits = limits
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
    this.pending = NOTHING
  }

  /** Reads one part from `start` on and returns the offset behind it. Throws a `MalformedRequestError`. */
  read(bytes: Buffer, start: number, onData: (data: Buffer) => void): number {
    if (this.state !== 'data') return this.readLine(bytes, start)
    const end = Math.min(bytes.length, start + this.left)
    this.left -= end - start
    if (this.left === 0) this.state = 'end-of-data'
    onData(bytes.subarray(start, end))
    return end
  }

  private readLine(bytes: Buffer, start: number): number {
    const known = this.pending.length
    const isEndTorn = known > 0 && this.pending[known - 1] === CR && bytes[start] === LF
    const found = isEndTorn ? start + 1 : endOfLine(bytes, start)
    const part = bytes.subarray(start, found ?? bytes.length)
    const line = known === 0 ? part : Buffer.concat([this.pending, part])
    if (found === undefined) {
      this.refuseImpossible(
        line.toString('latin1', 0, line[line.length - 1] === CR ? line.length - 1 : line.length),
      )
      this.pending = known === 0 ? Buffer.from(line) : line
      return bytes.length
    }
    this.pending = NOTHING
    this.accept(line.toString('latin1', 0, line.length - LINE_END.length))
    return found
  }

  /** Refuses a line that no further byte can complete, so that it is not waited for. */
  private refuseImpossible(line: string): void {
    this.refuseTooLong(line)
    if (FORBIDDEN.test(line) || (this.state === 'end-of-data' && line !== ''))
      throw badRequest(this.state === 'trailer' ? 'HPE_INVALID_HEADER_TOKEN' : 'HPE_STRICT')
  }

  private refuseTooLong(line: string): void {
    if (this.state === 'trailer') {
      if (this.trailerBytes + line.length > this.limits.maxHeadBytes) throw headTooLarge(false)
      return
    }
    const mark = line.indexOf(';')
    const digits = mark === -1 ? line.length : mark
    if (digits > MAX_SIZE_DIGITS) throw badRequest('HPE_INVALID_CHUNK_SIZE')
    if (this.extensionBytes + line.length - digits > MAX_EXTENSION_BYTES) throw extensionsTooLarge()
  }

  private accept(line: string): void {
    this.refuseImpossible(line)
    if (this.state === 'size') this.acceptSize(line)
    else if (this.state === 'trailer') this.acceptTrailer(line)
    else this.state = 'size'
  }

  private acceptSize(line: string): void {
    const match = SIZE_LINE.exec(line)
    if (match === null) throw badRequest('HPE_INVALID_CHUNK_SIZE')
    this.extensionBytes += match[2]?.length ?? 0
    this.left = Number.parseInt(match[1] ?? '', 16)
    this.state = this.left === 0 ? 'trailer' : 'data'
  }

  private acceptTrailer(line: string): void {
    if (line === '') {
      this.state = 'done'
      return
    }
    this.trailerBytes += line.length + LINE_END.length
    this.trailers += 1
    if (this.trailers > this.limits.maxHeaders) throw headTooLarge(false)
    const key = headerKey(line.slice(0, Math.max(0, line.indexOf(':'))))
    if (key === '') throw badRequest('HPE_INVALID_HEADER_TOKEN')
    // A trailer that frames could be merged into a head by another server (RFC 9110, section 6.5.1).
    if (key === 'connection') throw badRequest('HPE_INVALID_HEADER_TOKEN')
    if (key === 'content-length') throw badRequest('HPE_INVALID_CONTENT_LENGTH')
    if (key === 'transfer-encoding') throw badRequest('HPE_INVALID_TRANSFER_ENCODING')
  }
}
