import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'

/** Called when the whole body is with the socket, or when it cannot be. */
export interface BodySending {
  readonly done: () => void
  readonly failed: (error: Error) => void
}

/**
 * Writes a streamed body, at the pace of the slower side. A length that was announced is kept to the byte: what is
 * beyond it would be the beginning of another request. What it returns ends the writing and drops the rest of the body.
 */
export function sendBody(
  socket: Socket,
  body: Readable,
  { length, done, failed }: BodySending & { readonly length: number | undefined },
): () => void {
  let left = length
  const write = (chunk: Buffer): boolean => {
    if (left === undefined) return writeChunk(socket, chunk)
    left -= chunk.length
    if (left >= 0) return socket.write(chunk)
    failed(new Error('the body is longer than its length'))
    return false
  }
  const resume = () => void body.resume()
  const stop = () => {
    body.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose)
    socket.off('drain', resume)
  }
  const onData = (chunk: Buffer) => {
    if (write(chunk)) return
    body.pause()
    socket.once('drain', resume)
  }
  const onEnd = () => {
    stop()
    if (left === undefined) socket.write('0\r\n\r\n', 'latin1')
    else if (left > 0) return failed(new Error('the body is shorter than its length'))
    done()
  }
  const onError = (error: Error) => {
    stop()
    failed(error)
  }
  const onClose = () => onError(new Error('the body was cut off'))
  body.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose)
  return () => {
    stop()
    body.destroy()
  }
}

function writeChunk(socket: Socket, chunk: Buffer): boolean {
  if (chunk.length === 0) return true
  socket.cork()
  socket.write(`${chunk.length.toString(16)}\r\n`, 'latin1')
  socket.write(chunk)
  const goesOn = socket.write('\r\n', 'latin1')
  socket.uncork()
  return goesOn
}
