import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { headText, type WireRequest } from './request-bytes.ts'
import { sendBody } from './send-body.ts'

/** Writes the requests of one connection. */
export interface RequestWriter {
  /** Throws when the request cannot be written as it is. */
  write(request: WireRequest): void
  /** Whether a part of the body has still to be sent. */
  readonly isWriting: () => boolean
  /** Drops the rest of the body. */
  stop(): void
}

/** Makes the writer of one connection; `failed` is told when a body cannot be sent to its end. */
export function createRequestWriter(
  socket: Socket,
  { host, failed }: { readonly host: string; readonly failed: (error: Error) => void },
): RequestWriter {
  let stopSending: (() => void) | undefined
  const done = () => {
    stopSending = undefined
  }
  return {
    write(request) {
      const { body } = request
      refuseEnded(body)
      const length = request.length()
      const head = headText(request, { host, length })
      if (body === undefined) return void socket.write(head, 'latin1')
      if (isSmall(body)) return void socket.write(head + body.toString('latin1'), 'latin1')
      // As few writes as there can be.
      socket.cork()
      socket.write(head, 'latin1')
      if (Buffer.isBuffer(body)) socket.write(body)
      else stopSending = sendBody(socket, body, { length, done, failed })
      socket.uncork()
    },
    // What the kernel has of it is sent, as far as anybody here can know.
    isWriting: () => stopSending !== undefined || socket.writableLength > 0,
    stop: () => stopSending?.(),
  }
}

const SMALL_BODY_BYTES = 16_384

/** As text a small body leaves in one piece with its head, and not in a list of two. */
function isSmall(body: Buffer | Readable): body is Buffer {
  return Buffer.isBuffer(body) && body.length <= SMALL_BODY_BYTES
}

/** A body may be refused, or its client leave, before its turn comes: it would never say another word. */
function refuseEnded(body: WireRequest['body']): void {
  if (body === undefined || Buffer.isBuffer(body) || !body.destroyed) return
  throw body.errored ?? new Error('the body was cut off')
}
