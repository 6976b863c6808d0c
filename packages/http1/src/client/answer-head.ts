import { headerName } from '../header-name.ts'
import { joined, withoutBlanks } from '../header-value.ts'
import { memoize } from '../memoize.ts'

/** The answer is not valid HTTP. The message names the fault and never quotes the answer. */
export class InvalidAnswerError extends Error {
  override readonly name = 'InvalidAnswerError'
  readonly code = 'INVALID_HTTP'
}

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

// RFC 9112, section 4. The reason phrase is ignored.
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/
// CR and LF only as a pair, and no other control character but the tab (RFC 9110, section 5.5).
const FORBIDDEN = /\r(?!\n)|(?<!\r)\n|[^\t\r\n\x20-\x7e\x80-\xff]/
const DECIMAL = /^\d{1,15}$/
const KEEP_ALIVE_TIMEOUT = /(?:^|[\s,;])timeout=(\d{1,6})/i

/** Below 5 s, the usual idle timeout of servers (F8). */
const MAX_IDLE_MS = 4000
/** Subtracted from the timeout that a server announces: the gateway closes first. */
const IDLE_MARGIN_MS = 1000

interface FramingHeaders {
  length: string | undefined
  coding: string | undefined
  connection: string | undefined
  keepAlive: string | undefined
}

/** Parses a head without its final empty line. Ambiguous heads are refused. */
export function parseHead(text: string): AnswerHead {
  refuseControls(text)
  const lineEnd = endOfLine(text, 0)
  const line = statusLine(text.slice(0, lineEnd))
  if (line === undefined) throw new InvalidAnswerError('no status line')
  const { status, isOld } = line
  const rawHeaders: string[] = []
  const found: FramingHeaders = {
    length: undefined,
    coding: undefined,
    connection: undefined,
    keepAlive: undefined,
  }
  for (let start = lineEnd + 2; start < text.length; ) {
    const end = endOfLine(text, start)
    readField(text, { start, end }, { rawHeaders, found })
    start = end + 2
  }
  return {
    status,
    rawHeaders,
    framing: framingOf(found, isOld),
    keepAliveMs: isOld ? 0 : keepAliveMs(found),
  }
}

/** Servers send few different ones. */
const statusLine = memoize((text) => {
  const match = STATUS_LINE.exec(text)
  return match === null ? undefined : { status: Number(match[2]), isOld: match[1] === '0' }
})

/** Throws for control characters, which no later byte can make valid. */
export function refuseControls(text: string): void {
  if (FORBIDDEN.test(text)) throw new InvalidAnswerError('a control character in the head')
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf('\r\n', start)
  return end === -1 ? text.length : end
}

function readField(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
  { rawHeaders, found }: { readonly rawHeaders: string[]; readonly found: FramingHeaders },
): void {
  const colon = text.indexOf(':', start)
  if (colon === -1 || colon > end) throw new InvalidAnswerError('a header without a colon')
  const { name, key } = headerName(text.slice(start, colon))
  // Refuses folded lines and a blank before the colon too.
  if (key === '') throw new InvalidAnswerError('a header name that is none')
  const value = withoutBlanks(text, colon + 1, end)
  rawHeaders.push(name, value)
  noteFraming(key, value, found)
}

/** Compares by length first: few headers are about framing. */
function noteFraming(key: string, value: string, found: FramingHeaders): void {
  switch (key.length) {
    case 10:
      if (key === 'connection') found.connection = joined(found.connection, value)
      else if (key === 'keep-alive') found.keepAlive = joined(found.keepAlive, value)
      return
    case 14:
      if (key === 'content-length') found.length = joined(found.length, value)
      return
    case 17:
      if (key === 'transfer-encoding') found.coding = joined(found.coding, value)
  }
}

/** RFC 9112, section 6.3, without its optional leniency. */
function framingOf({ length, coding }: FramingHeaders, isOld: boolean): AnswerHead['framing'] {
  if (coding !== undefined) {
    // Without TE in the request, only `chunked` is allowed (section 6.1).
    if (coding.toLowerCase() !== 'chunked')
      throw new InvalidAnswerError('a transfer coding that was not asked for')
    if (length !== undefined) throw new InvalidAnswerError('a length and a transfer coding')
    if (isOld) throw new InvalidAnswerError('a transfer coding in HTTP/1.0')
    return 'chunked'
  }
  if (length === undefined) return 'until-close'
  // Two lengths are joined by a comma and refused, even when they agree.
  if (!DECIMAL.test(length)) throw new InvalidAnswerError('a length that is none')
  return Number(length)
}

function keepAliveMs({ connection, keepAlive }: FramingHeaders): number {
  if (connection !== undefined && listsClose(connection)) return 0
  const named = keepAlive === undefined ? null : KEEP_ALIVE_TIMEOUT.exec(keepAlive)
  if (named === null) return MAX_IDLE_MS
  return Math.max(0, Math.min(MAX_IDLE_MS, Number(named[1]) * 1000 - IDLE_MARGIN_MS))
}

const listsClose = memoize((value) =>
  value.split(',').some((option) => option.trim().toLowerCase() === 'close'),
)
