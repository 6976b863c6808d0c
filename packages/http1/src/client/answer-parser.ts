import { type AnswerHead, InvalidAnswerError, parseHead, refuseControls } from './answer-head.ts'

/** Receives an answer while it is parsed. */
export interface AnswerReceiver {
  onHead(head: AnswerHead): void
  /** The receiver owns the bytes. */
  onChunk(bytes: Buffer): void
}

const MAX_HEAD_BYTES = 16_384
const HEAD_END = Buffer.from('\r\n\r\n')
const BEGINNING = Buffer.from('HTTP/1.')
const NOTHING = Buffer.alloc(0)
const NO_RECEIVER: AnswerReceiver = { onHead: () => undefined, onChunk: () => undefined }
const CR = 0x0d
const LF = 0x0a

type State = 'head' | 'sized' | 'chunked' | 'until-close' | 'done'

/** Parses the answers of one connection, one at a time (RFC 9112). */
export class AnswerParser {
  /** How long the connection may be idle after the answer; 0 when it cannot be used again. */
  keepAliveMs = 0
  /** At least one byte has arrived, even if only of an empty line. */
  hasBegun = false
  private state: State = 'done'
  private method = ''
  private receiver: AnswerReceiver = NO_RECEIVER
  /** The first bytes of an incomplete head. */
  private pending = NOTHING
  private isPastEmptyLine = false
  /** Remaining bytes of a body with a length. */
  private left = 0
  private readonly chunked = new ChunkedParser()

  /** Whether the answer is complete if the connection ends now. */
  get endsHere(): boolean {
    return this.state === 'until-close'
  }

  /** Prepares for the answer to a request with this method. */
  expect(method: string, receiver: AnswerReceiver): void {
    this.state = 'head'
    this.method = method
    this.receiver = receiver
    this.isPastEmptyLine = false
    this.hasBegun = false
    this.keepAliveMs = 0
  }

  /**
   * Parses received bytes and returns whether the answer is complete. The caller may reuse the memory afterwards.
   * Throws an `InvalidAnswerError`.
   */
  read(bytes: Buffer): boolean {
    let rest = bytes
    while (rest.length > 0 && this.state !== 'done') rest = this.readPart(rest, this.state)
    if (this.state !== 'done') return false
    // Surplus bytes after the answer: no request asked for them.
    if (rest.length > 0) this.keepAliveMs = 0
    // An idle connection would keep everything that belongs to its last request in memory.
    this.receiver = NO_RECEIVER
    return true
  }

  /** Reads one part off the beginning and returns the bytes after it. */
  private readPart(bytes: Buffer, state: Exclude<State, 'done'>): Buffer {
    switch (state) {
      case 'head':
        return this.readHead(bytes)
      case 'sized':
        return this.readSized(bytes)
      case 'chunked': {
        const rest = this.chunked.read(bytes, this.receiver)
        if (this.chunked.isComplete) this.state = 'done'
        return rest
      }
      case 'until-close':
        this.receiver.onChunk(Buffer.from(bytes))
        return NOTHING
    }
  }

  private readHead(received: Buffer): Buffer {
    this.hasBegun = true
    const known = this.pending.length
    const bytes = known === 0 ? received : Buffer.concat([this.pending, received])
    this.pending = NOTHING
    // Some servers send an empty line after a body; it is not part of this answer.
    if (!this.isPastEmptyLine && isEmptyLine(bytes))
      return bytes.length === 1 ? this.keep(bytes) : bytes.subarray(2)
    this.isPastEmptyLine = true
    // Start near the end of the known bytes: a head that arrives byte by byte would cost quadratic time.
    const end = bytes.indexOf(HEAD_END, Math.max(0, known - 3))
    if ((end === -1 ? bytes.length : end) > MAX_HEAD_BYTES)
      throw new InvalidAnswerError('a head that is too large')
    if (end === -1) {
      refuseImpossibleHead(bytes, known)
      return this.keep(bytes)
    }
    this.beginAnswer(parseHead(bytes.toString('latin1', 0, end)))
    return bytes.subarray(end + HEAD_END.length)
  }

  private keep(bytes: Buffer): Buffer {
    this.pending = Buffer.from(bytes)
    return NOTHING
  }

  private beginAnswer(head: AnswerHead): void {
    if (isInformational(head.status)) return
    this.state = hasNoBody(this.method, head.status) ? 'done' : stateFor(head.framing)
    this.keepAliveMs = this.method !== 'HEAD' && endIsKnown(head, this.state) ? head.keepAliveMs : 0
    if (this.state === 'chunked') this.chunked.begin()
    this.left = Number(head.framing)
    this.receiver.onHead(head)
  }

  private readSized(bytes: Buffer): Buffer {
    const size = Math.min(this.left, bytes.length)
    this.left -= size
    if (this.left === 0) this.state = 'done'
    this.receiver.onChunk(Buffer.from(bytes.subarray(0, size)))
    return bytes.subarray(size)
  }
}

function isEmptyLine(bytes: Buffer): boolean {
  return bytes[0] === CR && (bytes.length === 1 || bytes[1] === LF)
}

/** RFC 9110, section 15.2: interim answers come before the final one. The gateway asks for neither 100 nor 101. */
function isInformational(status: number): boolean {
  if (status === 100 || status === 101) throw new InvalidAnswerError(`status ${status} is no answer`)
  return Math.floor(status / 100) === 1
}

/** RFC 9110, section 6.4.1: these answers never have content, even if a header announces it. */
function hasNoBody(method: string, status: number): boolean {
  return method === 'HEAD' || status === 204 || status === 304
}

/** Whether the answer's end is certain. A broken server may send a body that it announced with 204 or 304. */
function endIsKnown({ framing }: AnswerHead, state: State): boolean {
  if (state === 'until-close') return false
  return state !== 'done' || framing === 0 || framing === 'until-close'
}

function stateFor(framing: AnswerHead['framing']): State {
  if (typeof framing === 'string') return framing
  return framing === 0 ? 'done' : 'sized'
}

/** Refuses bytes that cannot become a valid head, without waiting for its end. The first `known` bytes were checked before. */
function refuseImpossibleHead(bytes: Buffer, known: number): void {
  const length = Math.min(bytes.length, BEGINNING.length)
  if (bytes.compare(BEGINNING, 0, length, 0, length) !== 0) throw new InvalidAnswerError('no status line')
  const isHalfLineEnd = bytes[bytes.length - 1] === CR
  const end = isHalfLineEnd ? bytes.length - 1 : bytes.length
  // A carriage return at the end of the known bytes was not checked.
  const start = known > 0 && bytes[known - 1] === CR ? known - 1 : known
  refuseControls(bytes.toString('latin1', start, end))
}

const MAX_LINE_BYTES = 1024
const MAX_TRAILER_BYTES = 16_384
const LINE_END = Buffer.from('\r\n')
// A size, and extensions, which are ignored.
const SIZE_LINE = /^([0-9A-Fa-f]{1,12})(?:[ \t]*;[\t\x20-\x7e\x80-\xff]*)?$/

const NO_DIGIT = 16
const hexDigits = Uint8Array.from({ length: 256 }, (_, byte) => {
  const digit = '0123456789abcdef'.indexOf(String.fromCharCode(byte).toLowerCase())
  return digit === -1 ? NO_DIGIT : digit
})
/** Larger chunks do not arrive in one piece. */
const MAX_WHOLE_DIGITS = 4

/**
 * Reads the chunks at the beginning that arrived whole and have no extension, as the events of a stream, and returns the
 * offset behind them. It leaves everything else to the way line by line, which takes 2 µs more for a chunk.
 */
function readWholeChunks(bytes: Buffer, receiver: AnswerReceiver): number {
  let start = 0
  while (start < bytes.length) {
    let size = 0
    let at = start
    for (; at < start + MAX_WHOLE_DIGITS; at += 1) {
      const digit = hexDigits[bytes[at] ?? 0] ?? NO_DIGIT
      if (digit === NO_DIGIT) break
      size = size * 16 + digit
    }
    const data = at + LINE_END.length
    const end = data + size
    // The last chunk is followed by trailers.
    if (size === 0 || !isLineEnd(bytes, at) || !isLineEnd(bytes, end)) return start
    receiver.onChunk(Buffer.from(bytes.subarray(data, end)))
    start = end + LINE_END.length
  }
  return start
}

function isLineEnd(bytes: Buffer, at: number): boolean {
  return bytes[at] === CR && bytes[at + 1] === LF
}

/** Parses chunked bodies, one at a time (RFC 9112, section 7.1). */
class ChunkedParser {
  private state: 'size' | 'data' | 'end-of-data' | 'trailer' | 'done' = 'size'
  /** Remaining bytes of the chunk. */
  private left = 0
  private trailerBytes = 0
  /** The first bytes of an incomplete line. */
  private pending = NOTHING

  get isComplete(): boolean {
    return this.state === 'done'
  }

  /** Prepares for another body. */
  begin(): void {
    this.state = 'size'
    this.trailerBytes = 0
    this.pending = NOTHING
  }

  /** Reads one part off the beginning and returns the bytes after it. Throws an `InvalidAnswerError`. */
  read(bytes: Buffer, receiver: AnswerReceiver): Buffer {
    if (this.state === 'size' && this.pending.length === 0) {
      const end = readWholeChunks(bytes, receiver)
      if (end > 0) return end === bytes.length ? NOTHING : bytes.subarray(end)
    }
    if (this.state !== 'data') return this.readLine(bytes)
    const size = Math.min(this.left, bytes.length)
    this.left -= size
    if (this.left === 0) this.state = 'end-of-data'
    receiver.onChunk(Buffer.from(bytes.subarray(0, size)))
    return bytes.subarray(size)
  }

  private readLine(received: Buffer): Buffer {
    const bytes = this.pending.length === 0 ? received : Buffer.concat([this.pending, received])
    const end = bytes.indexOf(LINE_END)
    if ((end === -1 ? bytes.length : end) > MAX_LINE_BYTES)
      throw new InvalidAnswerError('a line between chunks that is too long')
    this.pending = end === -1 ? Buffer.from(bytes) : NOTHING
    if (end === -1) return NOTHING
    this.acceptLine(bytes.toString('latin1', 0, end))
    return bytes.subarray(end + LINE_END.length)
  }

  private acceptLine(line: string): void {
    if (this.state === 'size') this.acceptSize(line)
    else if (this.state === 'trailer') this.acceptTrailer(line)
    else if (line === '') this.state = 'size'
    else throw new InvalidAnswerError('a chunk that is longer than it says')
  }

  private acceptSize(line: string): void {
    const match = SIZE_LINE.exec(line)
    if (match === null) throw new InvalidAnswerError('a chunk size that is none')
    this.left = Number.parseInt(match[1] ?? '', 16)
    this.state = this.left === 0 ? 'trailer' : 'data'
  }

  /** Trailers are checked and dropped. */
  private acceptTrailer(line: string): void {
    refuseControls(line)
    this.trailerBytes += line.length
    if (this.trailerBytes > MAX_TRAILER_BYTES) throw new InvalidAnswerError('trailers that are too large')
    if (line === '') this.state = 'done'
  }
}
