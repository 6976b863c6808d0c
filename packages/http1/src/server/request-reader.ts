import { ChunkedBody } from '../chunked-body.ts'
import { HeadReader } from '../head-reader.ts'
import type { HeadLimits } from '../message-faults.ts'
import { badRequest, requestFaults } from './malformed.ts'
import { RequestLines, type WireHead } from './request-lines.ts'

/** Receives a request while it is read. */
export interface RequestReceiver {
  onHead(head: WireHead): void
  /** Bytes of the body. Their memory is only lent for the call. */
  onBody(bytes: Buffer): void
  /** The request is complete: the next byte belongs to another one. */
  onComplete(): void
}

/** All extensions of a body together. */
const MAX_EXTENSION_BYTES = 16_384

/** Reads the requests of one connection, one after another (RFC 9112); the same for every way to cut their bytes. */
export class RequestReader {
  private readonly receiver: RequestReceiver
  private readonly heads: HeadReader<WireHead>
  private readonly chunked: ChunkedBody
  private readonly onData: (bytes: Buffer) => void
  private state: 'head' | 'sized' | 'chunked' | 'unknown' = 'head'
  /** Remaining bytes of a body with a length. */
  private left = 0

  constructor(limits: HeadLimits, receiver: RequestReceiver) {
    this.receiver = receiver
    this.heads = new HeadReader(new RequestLines(limits), limits, requestFaults)
    this.chunked = new ChunkedBody({
      faults: requestFaults,
      limits,
      maxExtensionBytes: MAX_EXTENSION_BYTES,
      countsExtensionsOf: 'body',
      allowsBlanks: false,
    })
    this.onData = (bytes) => receiver.onBody(bytes)
  }

  /** The first byte of a request has arrived, and not its last one. */
  get isWithinRequest(): boolean {
    return this.state !== 'head' || this.heads.isWithin
  }

  /** Reads on from `start`, at most to the end of a request; returns the offset behind it. Throws a `MalformedRequestError`. */
  read(bytes: Buffer, start: number): number {
    switch (this.state) {
      case 'head': {
        const end = this.heads.read(bytes, start)
        const head = this.heads.take()
        if (head !== undefined) this.beginBody(head)
        return end
      }
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

  private beginBody(head: WireHead): void {
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
    this.receiver.onComplete()
  }
}
