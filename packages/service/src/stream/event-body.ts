const encoder = new TextEncoder()
// A comment (HTML standard, 9.2.6): readers ignore it, and proxies see that the connection is alive.
const HEARTBEAT = encoder.encode(':\n\n')

/** The options of a body. */
interface EventBodyOptions {
  /** The pause after which a comment is sent; 0 is off. */
  readonly heartbeatSeconds: number
  /** Called once when the reader leaves. */
  readonly onLeave: () => void
}

/**
 * The body of an event stream. It holds one frame at most: `push` waits until the reader has taken the frame before, so a
 * reader that stalls stops the run.
 */
export class EventBody {
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>
  /** Resolves when the last frame was taken, or the reader has left. */
  readonly taken: Promise<void>
  private readonly options: EventBodyOptions
  private readonly markTaken: () => void
  private controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined
  private readonly timer: ReturnType<typeof setInterval> | undefined
  private state: 'open' | 'ending' | 'over' = 'open'
  /** Whether the reader waits for bytes. */
  private isWaited = false
  /** Wakes a `push` that waits for the reader. */
  private wake: ((isWanted: boolean) => void) | undefined
  private isQuiet = true
  private last: Uint8Array<ArrayBuffer> | undefined

  constructor(options: EventBodyOptions) {
    this.options = options
    const { promise, resolve } = Promise.withResolvers<void>()
    this.taken = promise
    this.markTaken = resolve
    this.readable = new ReadableStream(
      {
        start: (controller) => {
          this.controller = controller
        },
        pull: () => this.pull(),
        cancel: () => this.over(),
      },
      { highWaterMark: 0 },
    )
    if (options.heartbeatSeconds > 0)
      this.timer = setInterval(() => this.beat(), 1000 * options.heartbeatSeconds)
  }

  /** Sends a frame when the reader wants it; false if there is no reader any more. */
  async push(text: string): Promise<boolean> {
    while (this.state === 'open' && !this.isWaited) {
      const { promise, resolve } = Promise.withResolvers<boolean>()
      this.wake = resolve
      await promise
    }
    if (this.state !== 'open') return false
    this.send(encoder.encode(text))
    return true
  }

  /** Ends the stream with its last frame. A waiting `push` gets false. */
  end(text: string): void {
    if (this.state !== 'open') return
    this.state = 'ending'
    clearInterval(this.timer)
    this.last = encoder.encode(text)
    this.wake?.(false)
    if (this.isWaited) this.pull()
  }

  /** Ends the stream of a reader that has left without a word to the stream. */
  leave(): void {
    if (this.state === 'over') return
    this.controller?.close()
    this.over()
  }

  private over(): void {
    if (this.state === 'over') return
    this.state = 'over'
    clearInterval(this.timer)
    this.last = undefined
    this.wake?.(false)
    this.markTaken()
    this.options.onLeave()
  }

  private pull(): void {
    this.isWaited = true
    if (this.state === 'open') this.wake?.(true)
    if (this.state === 'ending') this.finish()
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
    this.controller?.close()
    this.markTaken()
  }

  private send(bytes: Uint8Array<ArrayBuffer>): void {
    this.isWaited = false
    this.isQuiet = false
    this.controller?.enqueue(bytes)
  }

  /** A stalled reader gets no comments: they would pile up. */
  private beat(): void {
    if (this.isQuiet && this.isWaited) this.send(HEARTBEAT)
    this.isQuiet = true
  }
}
