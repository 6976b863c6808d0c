import type { ServerResponse } from 'node:http'
import type { Reply } from '../exchange.ts'

/** Headers that the listener adds to every answer, whoever made it. */
export interface ReplyOptions {
  readonly corsHeaders: readonly string[]
  /** Asked when the head is written: whether this connection ends with an answer that has these headers. */
  readonly closesConnection: (headers: readonly string[]) => boolean
}

const NOTHING = Buffer.alloc(0)
const SMALL_BODY_BYTES = 16_384
const NONE: readonly string[] = []
const CLOSE: readonly string[] = ['Connection', 'close']

/** The way back to the client over `node:http`. */
export function createReply(response: ServerResponse, options: ReplyOptions): Reply {
  return {
    whenEnded: () =>
      response.closed ? Promise.resolve() : new Promise((resolve) => response.once('close', resolve)),
    // Nothing is left to write: the kernel has it all, though the response says so only in a later turn.
    isFlushed: () => response.writableEnded && response.socket?.writableLength === 0,
    isHeadSent: () => response.headersSent,
    isClosed: () => response.destroyed || response.writableEnded,
    head(status, headers) {
      const closing = options.closesConnection(headers) ? CLOSE : NONE
      const extra = options.corsHeaders.length + closing.length
      response.writeHead(
        status,
        extra === 0 ? (headers as string[]) : [...headers, ...options.corsHeaders, ...closing],
      )
    },
    // Not `flushHeaders`, which would write header values as UTF-8: they are bytes, kept as latin1.
    flush: () => void response.write(NOTHING),
    write: (chunk) => response.write(chunk),
    onDrain: (listener) => void response.once('drain', listener),
    end(chunk) {
      // As text a small body leaves in one piece with its head, and not in a list of two.
      if (chunk !== undefined && chunk.length <= SMALL_BODY_BYTES)
        response.end(chunk.toString('latin1'), 'latin1')
      else response.end(chunk)
    },
    destroy: () => void response.destroy(),
  }
}
