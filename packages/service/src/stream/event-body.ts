const encoder = new TextEncoder()
// A comment (HTML standard, 9.2.6): readers ignore it, and proxies see that the connection is alive.
const HEARTBEAT = ':\n\n'

/** The options of a body. */
interface EventBodyOptions {
  /** The pause after which a comment is sent; 0 is off. */
  readonly heartbeatSeconds: number
  /** Called once when the reader leaves. */
  readonly onLeave: () => void
}

/** Writes frames to the reader. It calls `want` of the body for each frame, and once more when the last one was taken. */
export interface FrameWriter {
  write(frame: string): void
  /** Ends the answer. */
  end(): void
}

/**
 * The frames of an event stream. It holds one frame at most: `push` waits until the reader has taken the frame before, so a
 * reader that stalls stops the run.
 */
export class EventBody {
  /** Resolves when the last frame was taken, or the reader has left. */
  readonly taken: Promise<void>
  private readonly options: EventBodyOptions
  private readonly markTaken: () => void
  private readonly timer: ReturnType<typeof setInterval> | undefined
  private writer: FrameWriter | undefined
  private state: 'open' | 'ending' | 'over' = 'open'
  /** Whether the reader waits for bytes. */
  private isWaited = false
  /** Wakes a `push` that waits for the reader. */
  private wake: ((isWanted: boolean) => void) | undefined
  private isQuiet = true
  private last: string | undefined

  constructor(options: EventBodyOptions) {
    this.options = options
    const { promise, resolve } = Promise.withResolvers<void>()
    this.taken = promise
    this.markTaken = resolve
    if (options.heartbeatSeconds > 0)
      this.timer = setInterval(() => this.beat(), 1000 * options.heartbeatSeconds)
  }

  /** Asks for a frame; the writer gets it as soon as there is one. */
  want(writer: FrameWriter): void {
    this.writer = writer
    this.isWaited = true
    if (this.state === 'open') this.wake?.(true)
    if (this.state === 'ending') this.finish()
    else if (this.state === 'over') this.endWriter()
  }

  /** Sends a frame when the reader wants it; false if there is no reader any more. */
  async push(frame: string): Promise<boolean> {
    while (this.state === 'open' && !this.isWaited) {
      const { promise, resolve } = Promise.withResolvers<boolean>()
      this.wake = resolve
      await promise
    }
    if (this.state !== 'open') return false
    this.send(frame)
    return true
  }

  /** Ends the stream with its last frame. A waiting `push` gets false. */
  end(frame: string): void {
    if (this.state !== 'open') return
    this.state = 'ending'
    clearInterval(this.timer)
    this.last = frame
    this.wake?.(false)
    if (this.isWaited) this.finish()
  }

  /** Ends the stream of a reader that has left. */
  leave(): void {
    if (this.state === 'over') return
    this.state = 'over'
    clearInterval(this.timer)
    this.last = undefined
    this.wake?.(false)
    this.endWriter()
    this.markTaken()
    this.options.onLeave()
  }

  /** Sends the last frame; when the reader comes back for more, it has that. */
  private finish(): void {
    const { last } = this
    this.last = undefined
    if (last !== undefined) {
      this.send(last)
      return
    }
    this.state = 'over'
    this.endWriter()
    this.markTaken()
  }

  private send(frame: string): void {
    this.isWaited = false
    this.isQuiet = false
    this.writer?.write(frame)
  }

  private endWriter(): void {
    const { writer } = this
    this.writer = undefined
    writer?.end()
  }

  /** A stalled reader gets no comments: they would pile up. */
  private beat(): void {
    if (this.isQuiet && this.isWaited) this.send(HEARTBEAT)
    this.isQuiet = true
  }
}

/** The body of a `Response`. A server that writes frames itself takes them from `source` instead. */
export class EventReadable extends ReadableStream<Uint8Array<ArrayBuffer>> {
  readonly source: EventBody

  constructor(source: EventBody) {
    let isCancelled = false
    super(
      {
        pull: (controller) =>
          source.want({
            write: (frame) => controller.enqueue(encoder.encode(frame)),
            end() {
              if (!isCancelled) controller.close()
            },
          }),
        cancel() {
          isCancelled = true
          source.leave()
        },
      },
      { highWaterMark: 0 },
    )
    this.source = source
  }
}
