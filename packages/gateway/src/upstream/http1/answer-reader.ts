import { type AnswerHead, InvalidAnswerError, parseHead, refuseControls } from './answer-head.ts'
import { createChunkedBody } from './chunked-body.ts'

/** Gets an answer as its bytes come. */
export interface AnswerTaker {
  head(head: AnswerHead): void
  /** The bytes are the taker's own. */
  chunk(bytes: Buffer): void
}

/** Reads the answers of one connection, one at a time. */
export interface AnswerReader {
  /** An answer to this method is next. */
  expect(method: string, taker: AnswerTaker): void
  /**
   * Takes what has come; the memory is the caller's again afterwards. True when the answer is complete.
   * Throws an `InvalidAnswerError`.
   */
  read(bytes: Buffer): boolean
  /** Whether the answer is complete when the connection ends now. */
  readonly endsHere: () => boolean
  /** Whether something of the answer has come. */
  readonly hasBegun: () => boolean
  /** How long the connection may be idle now; 0 when it cannot be used again. */
  readonly keepAliveMs: () => number
}

const MAX_HEAD_BYTES = 16_384
const HEAD_END = Buffer.from('\r\n\r\n')
const BEGINNING = Buffer.from('HTTP/1.')
const NOTHING = Buffer.alloc(0)
const NOBODY: AnswerTaker = { head: () => undefined, chunk: () => undefined }

type Place = 'head' | 'sized' | 'chunked' | 'until-close' | 'done'

/** Makes the reader of one connection. */
export function createAnswerReader(): AnswerReader {
  const chunked = createChunkedBody()
  let place: Place = 'done'
  let method = ''
  let taker = NOBODY
  /** A head that has come in part. */
  let pending = NOTHING
  /** Something has come, if only an empty line. */
  let heard = false
  let begun = false
  let [left, idleMs] = [0, 0]
  const take = (chunk: Buffer) => taker.chunk(chunk)

  function readHead(given: Buffer): Buffer {
    heard = true
    const bytes = pending.length === 0 ? given : Buffer.concat([pending, given])
    const known = pending.length
    pending = NOTHING
    // Servers have sent an empty line behind a body; it is none of this answer.
    if (!begun && isEmptyLine(bytes)) return bytes.length === 1 ? keep(bytes) : bytes.subarray(2)
    begun = true
    // A head that drips is not searched from its beginning with each byte.
    const end = bytes.indexOf(HEAD_END, Math.max(0, known - 3))
    if ((end === -1 ? bytes.length : end) > MAX_HEAD_BYTES)
      throw new InvalidAnswerError('a head that is too large')
    if (end === -1) return keep(possibleHead(bytes, known))
    begin(parseHead(bytes.toString('latin1', 0, end)))
    return bytes.subarray(end + HEAD_END.length)
  }

  function keep(bytes: Buffer): Buffer {
    pending = Buffer.from(bytes)
    return NOTHING
  }

  function begin(head: AnswerHead): void {
    if (isInformational(head.status)) return
    place = hasNoBody(method, head.status) ? 'done' : placeOf(head.framing)
    idleMs = method !== 'HEAD' && mayBeFollowed(head, place) ? head.keepAliveMs : 0
    if (place === 'chunked') chunked.begin()
    left = Number(head.framing)
    taker.head(head)
  }

  function readSized(bytes: Buffer): Buffer {
    const size = Math.min(left, bytes.length)
    left -= size
    if (left === 0) place = 'done'
    take(Buffer.from(bytes.subarray(0, size)))
    return bytes.subarray(size)
  }

  function readChunked(bytes: Buffer): Buffer {
    const rest = chunked.read(bytes, take)
    if (chunked.isComplete()) place = 'done'
    return rest
  }

  const readUntilClose = (bytes: Buffer) => readAll(bytes, take)
  const steps = { head: readHead, sized: readSized, chunked: readChunked, 'until-close': readUntilClose }
  return {
    read(bytes) {
      let rest = bytes
      while (rest.length > 0 && place !== 'done') rest = steps[place](rest)
      // Nobody has asked for what is beyond the answer.
      if (rest.length > 0) idleMs = 0
      return place === 'done'
    },
    expect(nextMethod, nextTaker) {
      place = 'head'
      method = nextMethod
      taker = nextTaker
      begun = false
      heard = false
      idleMs = 0
    },
    endsHere: () => place === 'until-close',
    hasBegun: () => heard,
    keepAliveMs: () => idleMs,
  }
}

const CR = 0x0d
const LF = 0x0a

function readAll(bytes: Buffer, take: (chunk: Buffer) => void): Buffer {
  take(Buffer.from(bytes))
  return NOTHING
}

function isEmptyLine(bytes: Buffer): boolean {
  return bytes[0] === CR && (bytes.length === 1 || bytes[1] === LF)
}

/** RFC 9110, section 15.2: these come before the answer. But nobody has asked for 100, or for another protocol. */
function isInformational(status: number): boolean {
  if (status === 100 || status === 101) throw new InvalidAnswerError(`status ${status} is no answer`)
  return Math.floor(status / 100) === 1
}

/** RFC 9110, section 6.4.1: these never have content, whatever their headers say. */
function hasNoBody(method: string, status: number): boolean {
  return method === 'HEAD' || status === 204 || status === 304
}

/**
 * Whether what comes behind an answer can be told from it. A broken server may send the body that it announces where none
 * may be, with 204 or 304.
 */
function mayBeFollowed({ framing }: AnswerHead, place: Place): boolean {
  if (place === 'until-close') return false
  return place !== 'done' || framing === 0 || framing === 'until-close'
}

function placeOf(framing: AnswerHead['framing']): Place {
  if (typeof framing === 'string') return framing
  return framing === 0 ? 'done' : 'sized'
}

/** What cannot become a head any more need not be waited for. The first `known` bytes could, when they came. */
function possibleHead(bytes: Buffer, known: number): Buffer {
  const length = Math.min(bytes.length, BEGINNING.length)
  if (bytes.compare(BEGINNING, 0, length, 0, length) !== 0) throw new InvalidAnswerError('no status line')
  const isHalfLineEnd = bytes[bytes.length - 1] === CR
  const end = isHalfLineEnd ? bytes.length - 1 : bytes.length
  // Of what is known only a half line end at its end has not been looked at.
  const start = known > 0 && bytes[known - 1] === CR ? known - 1 : known
  refuseControls(bytes.toString('latin1', start, end))
  return bytes
}
