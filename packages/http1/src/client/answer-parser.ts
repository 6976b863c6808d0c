import { ChunkedBody } from '../chunked-body.ts'
import { HeadReader } from '../head-reader.ts'
import { type AnswerHead, AnswerLines } from './answer-lines.ts'
import { answerFaults, answerLimits, InvalidAnswerError } from './invalid-answer.ts'

/** Receives an answer while it is parsed. */
export interface AnswerReceiver {
  onHead(head: AnswerHead): void
  /** The receiver owns the bytes. */
  onChunk(bytes: Buffer): void
}

/** Of one chunk: some services sign each. */
const MAX_EXTENSION_BYTES = 1024
const NO_RECEIVER: AnswerReceiver = { onHead: () => undefined, onChunk: () => undefined }

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
  private readonly heads = new HeadReader(new AnswerLines(), answerLimits, answerFaults)
  /** Remaining bytes of a body with a length. */
  private left = 0
  private readonly chunked = new ChunkedBody({
    faults: answerFaults,
    limits: answerLimits,
    maxExtensionBytes: MAX_EXTENSION_BYTES,
    countsExtensionsOf: 'chunk',
    allowsBlanks: true,
  })
  /** The memory of received bytes is used again, and the receiver owns what it gets. */
  private readonly onData = (bytes: Buffer) => this.receiver.onChunk(Buffer.from(bytes))

  /** Whether the answer is complete if the connection ends now. */
  get endsHere(): boolean {
    return this.state === 'until-close'
  }

  /** Prepares for the answer to a request with this method. */
  expect(method: string, receiver: AnswerReceiver): void {
    this.state = 'head'
    this.method = method
    this.receiver = receiver
    this.hasBegun = false
    this.keepAliveMs = 0
  }

  /**
   * Parses received bytes and returns whether the answer is complete. The caller may reuse the memory afterwards.
   * Throws an `InvalidAnswerError`.
   */
  read(bytes: Buffer): boolean {
    this.hasBegun = true
    let at = 0
    while (at < bytes.length && this.state !== 'done') at = this.readPart(bytes, at, this.state)
    if (this.state !== 'done') return false
    // Surplus bytes after the answer: no request asked for them.
    if (at < bytes.length) this.keepAliveMs = 0
    // An idle connection would keep everything that belongs to its last request in memory.
    this.receiver = NO_RECEIVER
    return true
  }

  /** Reads one part from `start` on and returns the offset behind it. */
  private readPart(bytes: Buffer, start: number, state: Exclude<State, 'done'>): number {
    switch (state) {
      case 'head': {
        const end = this.heads.read(bytes, start)
        const head = this.heads.take()
        if (head !== undefined) this.beginAnswer(head)
        return end
      }
      case 'sized':
        return this.readSized(bytes, start)
      case 'chunked': {
        const end = this.chunked.read(bytes, start, this.onData)
        if (this.chunked.isComplete) this.state = 'done'
        return end
      }
      case 'until-close':
        this.onData(bytes.subarray(start))
        return bytes.length
    }
  }

  private beginAnswer(head: AnswerHead): void {
    if (isInformational(head.status)) return
    this.state = hasNoBody(this.method, head.status) ? 'done' : stateFor(head.framing)
    this.keepAliveMs = this.method !== 'HEAD' && endIsKnown(head, this.state) ? head.keepAliveMs : 0
    if (this.state === 'chunked') this.chunked.begin()
    this.left = Number(head.framing)
    this.receiver.onHead(head)
  }

  private readSized(bytes: Buffer, start: number): number {
    const end = Math.min(bytes.length, start + this.left)
    this.left -= end - start
    if (this.left === 0) this.state = 'done'
    this.onData(bytes.subarray(start, end))
    return end
  }
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
