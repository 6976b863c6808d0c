import { InvalidAnswerError } from './answer-head.ts'
import { type AnswerTaker, createAnswerReader } from './answer-reader.ts'
import { type Origin, openSocket } from './open-socket.ts'
import type { WireRequest } from './request-bytes.ts'
import { createRequestWriter } from './request-writer.ts'

/** Follows one request on a connection to its one end. */
export interface AnswerFollower extends AnswerTaker {
  complete(): void
  /** `isLost`: the connection had been used before and no byte of an answer came. It may have been idle too long (F8). */
  failed(error: Error, isLost: boolean): void
}

/** A connection to an upstream. It carries one request at a time. */
export interface UpstreamConnection {
  /** Until when it may be used again. */
  readonly idleUntil: () => number
  /** Throws when the request cannot be written as it is. */
  carry(request: WireRequest, follower: AnswerFollower): void
  pause(): void
  resume(): void
  /** Ends it at once; a request that it carries has failed. */
  destroy(error?: Error): void
}

/** What a connection tells whoever keeps it. */
export interface ConnectionEvents {
  /** It can carry another request. */
  readonly onIdle: (connection: UpstreamConnection) => void
  readonly onClosed: (connection: UpstreamConnection) => void
}

/** What a connection is made with. */
export interface ConnectionOptions extends ConnectionEvents {
  readonly origin: Origin
  /** The value of `Host`. */
  readonly host: string
}

const CONNECT_TIMEOUT_MS = 5000
/**
 * One for all connections: what is read is taken out of it in the same turn. Of a stream whose reader stalls, this much is
 * held before it is known; less would cost large answers more reads.
 */
const readMemory = Buffer.allocUnsafeSlow(32_768)

/** Opens a connection to an upstream. */
export function openConnection({ origin, host, onIdle, onClosed }: ConnectionOptions): UpstreamConnection {
  const socket = openSocket(origin, { buffer: readMemory, callback: onBytes })
  const reader = createAnswerReader()
  const writer = createRequestWriter(socket, { host, failed: destroy })
  let follower: AnswerFollower | undefined
  let isUsed = false
  let isOpen = true
  let isPaused = false
  let idleUntil = 0
  const timer = setTimeout(() => destroy(new Error('connecting took too long')), CONNECT_TIMEOUT_MS)
  socket.once(origin.protocol === 'http:' ? 'connect' : 'secureConnect', () => clearTimeout(timer))
  socket.on('end', onEnd)
  socket.on('error', destroy)
  socket.on('close', () => destroy())

  function onBytes(size: number): boolean {
    // Nobody has asked for anything: it must not become the answer to the next request (F4).
    if (follower === undefined) destroy()
    else receive(follower, readMemory.subarray(0, size))
    return true
  }

  function receive(current: AnswerFollower, bytes: Buffer): void {
    try {
      // Whoever takes the answer may have ended the request meanwhile.
      if (reader.read(bytes) && follower === current) finish(current)
    } catch (error) {
      destroy(error as Error)
    }
  }

  function finish(current: AnswerFollower): void {
    follower = undefined
    isUsed = true
    // Whoever takes the rest slowly has all of it: the next answer does not wait for that.
    resume()
    idleUntil = performance.now() + reader.keepAliveMs()
    // Should the answer have come before its request was sent, the rest of it would be read as another request.
    if (reader.keepAliveMs() === 0 || writer.isWriting()) destroy()
    else if (isOpen) onIdle(connection)
    current.complete()
  }

  function resume(): void {
    if (isPaused) socket.resume()
    isPaused = false
  }

  function onEnd(): void {
    if (follower !== undefined && reader.endsHere()) finish(follower)
    else destroy(new Error('the upstream closed the connection'))
  }

  function destroy(error?: Error): void {
    if (!isOpen) return
    isOpen = false
    clearTimeout(timer)
    socket.destroy()
    writer.stop()
    onClosed(connection)
    const current = follower
    follower = undefined
    const isLost = isUsed && !reader.hasBegun() && !(error instanceof InvalidAnswerError)
    current?.failed(error ?? new Error('the connection was closed'), isLost)
  }

  const connection: UpstreamConnection = {
    destroy,
    resume,
    idleUntil: () => idleUntil,
    pause() {
      isPaused = true
      socket.pause()
    },
    carry(request, next) {
      follower = next
      reader.expect(request.method, next)
      writer.write(request)
    },
  }
  return connection
}
