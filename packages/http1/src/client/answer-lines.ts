import type { HeadLines } from '../head-reader.ts'
import { HeaderLines, listOptions } from '../header-lines.ts'
import { memoize } from '../memoize.ts'
import { answerFaults, answerLimits, InvalidAnswerError } from './invalid-answer.ts'

/** The head of an answer, with the framing of its body. */
export interface AnswerHead {
  readonly status: number
  /** Names and values in turn, as they were sent; bytes are kept as latin1. */
  readonly rawHeaders: string[]
  /** A number of bytes, chunks, or all bytes until the connection ends. */
  readonly framing: number | 'chunked' | 'until-close'
  /** How long the connection may be idle after the answer; 0 when it ends with it. */
  readonly keepAliveMs: number
}

const BEGINNING = 'HTTP/1.'
// RFC 9112, section 4. The reason phrase is ignored.
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/
const DECIMAL = /^\d{1,15}$/
const KEEP_ALIVE_TIMEOUT = /(?:^|[\s,;])timeout=(\d{1,6})/i

/** Below 5 s, the usual idle timeout of servers (F8). */
const MAX_IDLE_MS = 4000
/** Subtracted from the timeout that a server announces: this side closes first. */
const IDLE_MARGIN_MS = 1000

/** Servers send few different ones. */
const statusLine = memoize((text) => {
  const match = STATUS_LINE.exec(text)
  return match === null ? undefined : { status: Number(match[2]), isOld: match[1] === '0' }
})

/** Reads the lines of the heads of answers. Throws an `InvalidAnswerError` for each ambiguity. */
export class AnswerLines implements HeadLines<AnswerHead> {
  private status = 0
  private isOld = false
  private readonly fields = new HeaderLines(answerFaults, answerLimits)

  get hasBegun(): boolean {
    return this.status !== 0
  }

  refuseImpossibleStart(text: string): void {
    if (!text.startsWith(BEGINNING.slice(0, text.length))) throw new InvalidAnswerError('no status line')
  }

  read(text: string, start: number, end: number): void {
    if (this.hasBegun) this.fields.read(text, start, end)
    else this.readStatusLine(text.slice(start, end))
  }

  take(): AnswerHead {
    const { status, isOld, fields } = this
    const head: AnswerHead = {
      status,
      rawHeaders: fields.raw,
      framing: framingOf(fields, isOld),
      keepAliveMs: isOld ? 0 : keepAliveMs(fields),
    }
    this.status = 0
    fields.clear()
    return head
  }

  private readStatusLine(text: string): void {
    const line = statusLine(text)
    if (line === undefined) throw new InvalidAnswerError('no status line')
    this.status = line.status
    this.isOld = line.isOld
  }
}

/** RFC 9112, section 6.3, without its optional leniency. */
function framingOf({ length, coding }: HeaderLines, isOld: boolean): AnswerHead['framing'] {
  if (coding !== undefined) {
    // Without TE in the request, only `chunked` is allowed (section 6.1).
    if (coding.toLowerCase() !== 'chunked') throw answerFaults.coding()
    if (length !== undefined) throw new InvalidAnswerError('a length and a transfer coding')
    if (isOld) throw new InvalidAnswerError('a transfer coding in HTTP/1.0')
    return 'chunked'
  }
  if (length === undefined) return 'until-close'
  // Two lengths are joined by a comma and refused, even when they agree.
  if (!DECIMAL.test(length)) throw answerFaults.length()
  return Number(length)
}

function keepAliveMs({ connection, keepAlive }: HeaderLines): number {
  if (connection !== undefined && listOptions(connection).has('close')) return 0
  const named = keepAlive === undefined ? null : KEEP_ALIVE_TIMEOUT.exec(keepAlive)
  if (named === null) return MAX_IDLE_MS
  return Math.max(0, Math.min(MAX_IDLE_MS, Number(named[1]) * 1000 - IDLE_MARGIN_MS))
}
