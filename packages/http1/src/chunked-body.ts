import { headerKey } from './header-name.ts'
import { FORBIDDEN, LineCollector, REREAD_CHARACTERS } from './line-collector.ts'
import { badRequest, extensionsTooLarge, headTooLarge } from './server/malformed.ts'
import type { HeadLimits } from './server/request-lines.ts'

const LINE_END_BYTES = 2
/** All extensions of a body together. */
const MAX_EXTENSION_BYTES = 16_384
const MAX_SIZE_DIGITS = REREAD_CHARACTERS

// A size below 2 to the 52, and extensions by their grammar (RFC 9112, section 7.1.1) without blanks.
const SIZE_LINE =
  /^0*([0-9A-Fa-f]{1,13})((?:;[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:=(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+|"(?:[\t\x20\x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t\x20-\x7e\x80-\xff])*"))?)*)$/

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
    const end = this.line.take(bytes, start)
    this.refuseImpossible(this.line.text, this.line.known)
    if (this.line.isWhole) this.accept(this.line.finish())
    return end
  }

  /** Refuses a line that no further byte can complete, so that it is not waited for. Its `known` characters were valid. */
  private refuseImpossible(text: string, known: number): void {
    this.refuseTooLong(text, known)
    if (FORBIDDEN.test(text) || (this.state === 'end-of-data' && text !== ''))
      throw badRequest(this.state === 'trailer' ? 'HPE_INVALID_HEADER_TOKEN' : 'HPE_STRICT')
  }

  private refuseTooLong(text: string, known: number): void {
    const length = known + text.length
    if (this.state === 'trailer') {
      if (this.trailerBytes + length > this.limits.maxHeadBytes) throw headTooLarge(false)
      return
    }
    // Known characters are more than a size may have: its end is among them.
    if (known === 0) {
      const mark = text.indexOf(';')
      this.digits = mark === -1 ? length : mark
    }
    if (this.digits > MAX_SIZE_DIGITS) throw badRequest('HPE_INVALID_CHUNK_SIZE')
    if (this.extensionBytes + length - this.digits > MAX_EXTENSION_BYTES) throw extensionsTooLarge()
  }

  private accept(line: string): void {
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
    this.trailerBytes += line.length + LINE_END_BYTES
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
