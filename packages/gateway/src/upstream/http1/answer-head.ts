import { memoized } from '../bounded-memo.ts'

/** The answer is no HTTP that can be passed on. The message says what is wrong and quotes none of it. */
export class InvalidAnswerError extends Error {
  override readonly name = 'InvalidAnswerError'
}

/** The head of an answer, and what it says about the bytes behind it. */
export interface AnswerHead {
  readonly status: number
  /** Names and values in turn, as they were sent; bytes are kept as latin1. */
  readonly rawHeaders: string[]
  /** A number of bytes, chunks, or whatever comes until the connection ends. */
  readonly framing: number | 'chunked' | 'until-close'
  /** How long the connection may be idle after it; 0 when it ends with the answer. */
  readonly keepAliveMs: number
}

// RFC 9112, section 4. The reason phrase says nothing to anybody.
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/
// Line ends in pairs and no other control character but the tab (RFC 9110, section 5.5).
const FORBIDDEN = /\r(?!\n)|(?<!\r)\n|[^\t\r\n\x20-\x7e\x80-\xff]/
const DECIMAL = /^\d{1,15}$/
const KEEP_ALIVE_TIMEOUT = /(?:^|[\s,;])timeout=(\d{1,6})/i
// Token characters (RFC 9110, section 5.6.2). A folded line or a space before the colon shows here too.
const isToken = memoized((name) => /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name))

/** Below the 5 s after which usual servers drop an idle connection (F8). */
const MAX_IDLE_MS = 4000
/** A server that names its own time means its own clock: we are gone before. */
const IDLE_MARGIN_MS = 1000

interface FramingHeaders {
  length: string | undefined
  coding: string | undefined
  connection: string | undefined
  keepAlive: string | undefined
}

/** Reads a head without its last empty line. Whatever could be read in two ways is refused. */
export function parseHead(text: string): AnswerHead {
  refuseControls(text)
  const lineEnd = endOfLine(text, 0)
  const match = STATUS_LINE.exec(text.slice(0, lineEnd))
  if (match === null) throw new InvalidAnswerError('no status line')
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
  const isOld = match[1] === '0'
  return {
    status: Number(match[2]),
    rawHeaders,
    framing: framingOf(found, isOld),
    keepAliveMs: isOld ? 0 : keepAliveMs(found),
  }
}

/** Throws when lines hold what no later byte can mend. */
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
  const name = text.slice(start, colon)
  if (!isToken(name)) throw new InvalidAnswerError('a header name that is none')
  const value = withoutBlanks(text, colon + 1, end)
  rawHeaders.push(name, value)
  noteFraming(name, value, found)
}

/** Not `trim`, which takes away more than the blanks of RFC 9110, section 5.6.3. */
function withoutBlanks(text: string, start: number, end: number): string {
  let [from, to] = [start, end]
  while (from < to && isBlank(text.charCodeAt(from))) from += 1
  while (to > from && isBlank(text.charCodeAt(to - 1))) to -= 1
  return text.slice(from, to)
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}

/** By length first: hardly any header speaks of framing. */
function noteFraming(name: string, value: string, found: FramingHeaders): void {
  switch (name.length) {
    case 10: {
      const key = name.toLowerCase()
      if (key === 'connection') found.connection = joined(found.connection, value)
      else if (key === 'keep-alive') found.keepAlive = joined(found.keepAlive, value)
      return
    }
    case 14:
      if (name.toLowerCase() === 'content-length') found.length = joined(found.length, value)
      return
    case 17:
      if (name.toLowerCase() === 'transfer-encoding') found.coding = joined(found.coding, value)
  }
}

function joined(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before}, ${value}`
}

/** RFC 9112, section 6.3, without the leniences that it allows. */
function framingOf({ length, coding }: FramingHeaders, isOld: boolean): AnswerHead['framing'] {
  if (coding !== undefined) {
    // Only `chunked` may be sent to whoever did not ask for another coding with TE (section 6.1).
    if (coding.toLowerCase() !== 'chunked')
      throw new InvalidAnswerError('a transfer coding that was not asked for')
    if (length !== undefined) throw new InvalidAnswerError('a length and a transfer coding')
    if (isOld) throw new InvalidAnswerError('a transfer coding in HTTP/1.0')
    return 'chunked'
  }
  if (length === undefined) return 'until-close'
  // Two of them are joined by a comma and are no number, even when they agree.
  if (!DECIMAL.test(length)) throw new InvalidAnswerError('a length that is none')
  return Number(length)
}

function keepAliveMs({ connection, keepAlive }: FramingHeaders): number {
  if (connection !== undefined && listsClose(connection)) return 0
  const named = keepAlive === undefined ? null : KEEP_ALIVE_TIMEOUT.exec(keepAlive)
  if (named === null) return MAX_IDLE_MS
  return Math.max(0, Math.min(MAX_IDLE_MS, Number(named[1]) * 1000 - IDLE_MARGIN_MS))
}

const listsClose = memoized((value) =>
  value.split(',').some((option) => option.trim().toLowerCase() === 'close'),
)
