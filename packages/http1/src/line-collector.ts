const NOTHING = Buffer.alloc(0)
const CR = 0x0d
const LF = 0x0a
const LINE_END = Buffer.from('\r\n')
/** The characters of a line that are handed over again with each piece, so that its start can be judged as a whole. */
export const REREAD_CHARACTERS = 64

/** CR and LF only as a pair, and no other control character but the tab (RFC 9110, section 5.5). */
export const FORBIDDEN = /\r(?!\n)|(?<!\r)\n|[^\t\r\n\x20-\x7e\x80-\xff]/

/**
 * Collects lines that arrive in pieces. The cost of a line grows with its length and not with the number of its pieces,
 * because a client may send its bytes one by one.
 */
export class LineCollector {
  /** The last piece ended the line. */
  isWhole = false
  /** The characters behind the `known` ones, without a line end or the first half of one. */
  text = ''
  /** The characters that were handed over before: none, or more than `REREAD_CHARACTERS`. */
  known = 0
  private kept: Buffer = NOTHING
  private length = 0

  /** The line has no byte yet. */
  get isEmpty(): boolean {
    return this.length === 0
  }

  /** Takes the bytes from `start` on, at most to the end of the line; returns the offset behind them. */
  take(bytes: Buffer, start: number): number {
    const isEndTorn = this.length > 0 && this.kept[this.length - 1] === CR && bytes[start] === LF
    const found = isEndTorn ? start + 1 : endOfLine(bytes, start)
    this.isWhole = found !== undefined
    if (found !== undefined && this.length === 0) {
      this.known = 0
      this.text = bytes.toString('latin1', start, found - LINE_END.length)
      return found
    }
    const end = found ?? bytes.length
    const handedOver = this.known + this.text.length
    this.known = this.length > 0 && handedOver > REREAD_CHARACTERS ? handedOver : 0
    this.keep(bytes, start, end)
    this.text = this.kept.toString('latin1', this.known, this.length - this.endBytes())
    return end
  }

  /** The whole line without its end. The next bytes belong to another line. */
  finish(): string {
    const line = this.known === 0 ? this.text : this.kept.toString('latin1', 0, this.length - LINE_END.length)
    this.kept = NOTHING
    this.length = 0
    this.text = ''
    return line
  }

  private endBytes(): number {
    if (this.isWhole) return LINE_END.length
    return this.kept[this.length - 1] === CR ? 1 : 0
  }

  private keep(bytes: Buffer, start: number, end: number): void {
    const length = this.length + end - start
    if (length > this.kept.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.kept.length))
      this.kept.copy(larger, 0, 0, this.length)
      this.kept = larger
    }
    bytes.copy(this.kept, this.length, start, end)
    this.length = length
  }
}

/** The offset behind the first line end; nothing without one. */
function endOfLine(bytes: Buffer, start: number): number | undefined {
  const found = bytes.indexOf(LINE_END, start)
  return found === -1 ? undefined : found + LINE_END.length
}
