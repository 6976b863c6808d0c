import { KeptBytes } from '../kept-bytes.ts'

/** Receives a body; `onEnd` or `onCut` is called once, as the last call. */
export interface BodyReceiver {
  /** The receiver owns the bytes. */
  onChunk(bytes: Buffer): void
  onEnd(): void
  /** The connection ended before the body. */
  onCut(): void
}

/** The reading side of a connection. */
export interface Flow {
  pause(): void
  resume(): void
}

/** Bytes that are kept for a reader before the connection is held back. */
const HIGH_WATER_BYTES = 65_536

/** The body of a request while it arrives: kept until it is read, passed on, or dropped. */
export class IncomingBody {
  /** Called when nothing more arrives. */
  onOver: (() => void) | undefined = undefined
  /** Every byte has arrived. */
  isComplete = false
  /** The connection ended before the body. */
  isCut = false
  private readonly flow: Flow
  private receiver: BodyReceiver | undefined = undefined
  private readonly kept = new KeptBytes()
  private isPaused = false
  private isDropped = false

  constructor(flow: Flow) {
    this.flow = flow
  }

  /** Whether bytes that arrive are thrown away, and need no memory of their own. */
  get isDropping(): boolean {
    return this.isDropped
  }

  /** Whether the connection is not to be read for it. */
  get isHeld(): boolean {
    return this.isPaused || this.kept.length >= HIGH_WATER_BYTES
  }

  /** Whether somebody reads the body. */
  get isRead(): boolean {
    return this.receiver !== undefined
  }

  /** The length of a small body that has arrived completely and that nobody has read or dropped. */
  get arrivedBytes(): number | undefined {
    const isTaken = this.receiver !== undefined || this.isDropped || this.isHeld
    return this.isComplete && !isTaken ? this.kept.length : undefined
  }

  /** Takes such a body. */
  takeArrived(): Buffer {
    const bytes = this.kept.whole()
    this.kept.clear()
    return bytes
  }

  /** Adds bytes that arrived. */
  push(bytes: Buffer): void {
    if (this.isDropped) return
    if (this.receiver !== undefined && !this.isPaused) {
      this.receiver.onChunk(bytes)
      return
    }
    this.kept.add(bytes)
    if (this.kept.length >= HIGH_WATER_BYTES) this.flow.pause()
  }

  /** The last byte has arrived. */
  finish(): void {
    this.isComplete = true
    this.onOver?.()
    if (!this.isPaused) this.deliver()
  }

  /** The connection has ended. */
  cut(): void {
    if (this.isComplete || this.isCut) return
    this.isCut = true
    this.onOver?.()
    const { receiver } = this
    this.receiver = undefined
    receiver?.onCut()
  }

  /** Passes everything to a receiver, at once as far as it is there. */
  read(receiver: BodyReceiver): void {
    this.receiver = receiver
    this.resume()
  }

  /** Takes the receiver away; the rest waits for the next one. */
  stop(): void {
    this.receiver = undefined
    this.pause()
  }

  /** Throws away everything that still comes. */
  drop(): void {
    this.receiver = undefined
    this.isDropped = true
    this.kept.clear()
    this.isPaused = false
    this.flow.resume()
  }

  pause(): void {
    this.isPaused = true
    if (!this.isComplete) this.flow.pause()
  }

  resume(): void {
    this.isPaused = false
    this.deliver()
    if (!this.isPaused) this.flow.resume()
  }

  private deliver(): void {
    while (this.receiver !== undefined && !this.isPaused) {
      const bytes = this.kept.shift()
      if (bytes === undefined) {
        this.deliverEnd(this.receiver)
        return
      }
      this.receiver.onChunk(bytes)
    }
  }

  private deliverEnd(receiver: BodyReceiver): void {
    if (!this.isComplete && !this.isCut) return
    this.receiver = undefined
    if (this.isComplete) receiver.onEnd()
    else receiver.onCut()
  }
}
