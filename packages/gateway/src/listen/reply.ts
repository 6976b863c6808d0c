import type { ServerResponse } from 'node:http'
import type { Reply } from '../exchange.ts'

/** Headers that the listener adds to every answer, whoever made it. */
export interface ReplyOptions {
  readonly corsHeaders: readonly string[]
  /** Asked when the head is written: whether this connection ends with the answer. */
  readonly closesConnection: () => boolean
}

const NOTHING = Buffer.alloc(0)

/** The way back to the client over `node:http`. */
export function createReply(response: ServerResponse, options: ReplyOptions): Reply {
  const ended = new Promise<void>((resolve) => response.once('close', resolve))
  return {
    ended,
    get headersSent() {
      return response.headersSent
    },
    get closed() {
      return response.destroyed || response.writableEnded
    },
    head(status, headers) {
      const all = [...headers, ...options.corsHeaders]
      if (options.closesConnection()) all.push('Connection', 'close')
      response.writeHead(status, all)
    },
    // Not `flushHeaders`, which would write header values as UTF-8: they are bytes, kept as latin1.
    flush: () => void response.write(NOTHING),
    write: (chunk) => response.write(chunk),
    onDrain: (listener) => void response.once('drain', listener),
    end: (chunk) => void response.end(chunk),
    destroy: () => void response.destroy(),
  }
}
