import { Readable } from 'node:stream'
import { type BodyReceiver, type ClientReply, type IncomingBody, KeptBytes } from '@agentic-rest/http1'
import {
  BodyTooLargeError,
  type ByteAccount,
  type Cancellation,
  type NotHeld,
  type RequestBody,
} from '../exchange.ts'
import { type LimitName, LimitReachedError } from '../limits/refuse.ts'

/** The limits of a body, and the parts of its request that it uses. */
export interface RequestBodyOptions {
  /** The declared length; `undefined` for a chunked body. */
  readonly length: number | undefined
  readonly maxBytes: number
  /** Cancelled when the client leaves before its body is complete. */
  readonly signal: Cancellation
  readonly reply: Pick<ClientReply, 'sendContinue'>
}

const NOTHING = Buffer.alloc(0)

/** Most requests have no body, and share this one. */
const NO_BODY: RequestBody = {
  isRead: true,
  isReplaced: false,
  length: 0,
  read: async () => NOTHING,
  arrived: () => NOTHING,
  replace() {
    throw new TypeError('the request has no body to replace')
  },
  holdIn: () => undefined,
  content: () => undefined,
}

/** The body of a request: read into memory at most once, or streamed. */
export function requestBody(source: IncomingBody | undefined, options: RequestBodyOptions): RequestBody {
  return source === undefined ? NO_BODY : new ClientBody(source, options)
}

class ClientBody implements RequestBody {
  isReplaced = false
  private readonly source: IncomingBody
  private readonly options: RequestBodyOptions
  private bytes: Buffer | undefined = undefined
  private account: ByteAccount | undefined = undefined
  private readonly prefix = new KeptBytes()
  private reading: Promise<void> | undefined = undefined
  private stopReading: (() => void) | undefined = undefined
  /** The length of a streamed body, once it has arrived completely. */
  private streamedLength: number | undefined = undefined

  constructor(source: IncomingBody, options: RequestBodyOptions) {
    this.source = source
    this.options = options
  }

  get isRead(): boolean {
    return this.bytes !== undefined
  }

  get length(): number | undefined {
    return this.bytes?.length ?? this.options.length ?? this.streamedLength
  }

  async read(maxBytes: number): Promise<Buffer | undefined> {
    // One read at a time: two of them would collect every chunk twice.
    while (this.reading !== undefined) await this.reading
    if (this.bytes === undefined) {
      const { length } = this.options
      if (length !== undefined && length > maxBytes) return undefined
      // Refused before it is read, where the length is known.
      const refused = this.account?.refusal(length ?? 0)
      if (refused !== undefined) throw refusedRead(refused)
      this.reading = this.collectAll(Math.min(maxBytes, this.options.maxBytes))
      try {
        await this.reading
      } finally {
        this.reading = undefined
      }
    }
    return this.bytes !== undefined && this.bytes.length <= maxBytes ? this.bytes : undefined
  }

  arrived(maxBytes: number): Buffer | undefined {
    if (this.bytes === undefined && this.reading === undefined && this.prefix.length === 0)
      this.takeArrived(Math.min(maxBytes, this.options.maxBytes))
    const { bytes } = this
    return bytes !== undefined && bytes.length <= maxBytes ? bytes : undefined
  }

  private takeArrived(maxBytes: number): void {
    const { arrivedBytes } = this.source
    if (arrivedBytes === undefined || arrivedBytes > maxBytes) return
    // A refusal is left to `read`, which tells the limit.
    if (this.account?.take(arrivedBytes) !== undefined) return
    this.options.reply.sendContinue()
    this.bytes = this.source.takeArrived()
  }

  holdIn(account: ByteAccount): void {
    this.account = account
  }

  private async collectAll(maxBytes: number): Promise<void> {
    const { reply, signal } = this.options
    reply.sendContinue()
    await collect(this.source, this.prefix, {
      maxBytes,
      signal,
      account: this.account,
      onStart: (stop) => {
        this.stopReading = stop
      },
      onEnd: () => {
        this.bytes ??= this.prefix.whole()
        // Kept beside the whole body, the chunks would take its memory twice.
        this.prefix.clear()
      },
    })
    this.stopReading = undefined
  }

  replace(bytes: Buffer): void {
    this.isReplaced = true
    this.account?.add(bytes.length - (this.bytes?.length ?? 0))
    this.bytes = bytes
  }

  content(): Buffer | Readable | undefined {
    if (this.bytes !== undefined) return this.bytes.length === 0 ? undefined : this.bytes
    // A plugin may not have waited for its read: its chunks are the start of the stream.
    this.stopReading?.()
    const { maxBytes, signal, reply } = this.options
    reply.sendContinue()
    const onComplete = (length: number) => {
      this.streamedLength = length
    }
    return limitedStream(this.source, this.prefix, { maxBytes, signal, onComplete })
  }
}

const limits = {
  total: 'max_buffered_bytes',
  perTenant: 'max_buffered_bytes_per_tenant',
} as const satisfies Record<Exclude<NotHeld, 'ended'>, LimitName>

function refusedRead(refused: NotHeld): Error {
  if (refused !== 'ended') return new LimitReachedError(limits[refused])
  return new Error('the request ended before its body was complete')
}

interface Collecting extends Pick<RequestBodyOptions, 'maxBytes' | 'signal'> {
  readonly account: ByteAccount | undefined
  /** Gets a function that ends the read early. */
  readonly onStart: (stop: () => void) => void
  /** Called when the last chunk is there. */
  readonly onEnd: () => void
}

/**
 * Reads until the end, or until more than `maxBytes` have arrived; the body is held back then, and nothing is lost. Of a
 * request that has ended nothing is kept.
 */
function collect(
  source: IncomingBody,
  kept: KeptBytes,
  { maxBytes, signal, account, onStart, onEnd }: Collecting,
): Promise<void> {
  if (kept.length > maxBytes) return Promise.resolve()
  return new Promise((resolve, reject) => {
    let isOver = false
    const stop = () => {
      isOver = true
      source.stop()
      resolve()
    }
    const forget = () => {
      if (isOver) return
      isOver = true
      reject(refusedRead('ended'))
      kept.clear()
      // The rest is read and dropped: the next request on the connection comes behind it.
      source.drop()
    }
    const receiver: BodyReceiver = {
      onChunk(chunk) {
        const refused = account?.take(chunk.length)
        if (refused === 'ended') return forget()
        kept.add(chunk)
        if (kept.length <= maxBytes && refused === undefined) return
        if (kept.length <= maxBytes && refused !== undefined) reject(refusedRead(refused))
        stop()
      },
      onEnd() {
        isOver = true
        onEnd()
        resolve()
      },
      onCut() {
        isOver = true
        reject(new Error('the client went away before the body was complete'))
        signal.cancel('client_disconnect')
      },
    }
    onStart(stop)
    // A client that stops sending must not keep the bytes of a request that is over.
    signal.addEventListener('abort', forget)
    source.read(receiver)
  })
}

interface Limited extends Pick<RequestBodyOptions, 'maxBytes' | 'signal'> {
  readonly onComplete: (length: number) => void
}

/**
 * A stream of its own, because a request to the upstream that ends early destroys its body. The connection on which the
 * client waits for its answer stays open.
 */
function limitedStream(
  source: IncomingBody,
  prefix: KeptBytes,
  { maxBytes, signal, onComplete }: Limited,
): Readable {
  let length = 0
  let isOver = false
  const stream = new Readable({
    read: () => source.resume(),
    destroy(error, done) {
      if (!isOver) source.drop()
      done(error)
    },
  })
  const receiver: BodyReceiver = {
    onChunk(chunk) {
      length += chunk.length
      if (length > maxBytes) stream.destroy(new BodyTooLargeError('the body is too large'))
      else if (!stream.push(chunk)) source.pause()
    },
    onEnd() {
      isOver = true
      onComplete(length)
      stream.push(null)
    },
    onCut() {
      isOver = true
      signal.cancel('client_disconnect')
      stream.destroy(new Error('the client went away before the body was complete'))
    },
  }
  // Without a listener an error that nobody waits for would end the process.
  stream.on('error', () => undefined)
  for (const chunk of prefix.pieces) receiver.onChunk(chunk)
  if (!stream.destroyed) source.read(receiver)
  return stream
}
