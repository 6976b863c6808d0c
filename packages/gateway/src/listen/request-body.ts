import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { BodyTooLargeError, type RequestBody } from '../exchange.ts'

/** What a body may cost and how the wire is told that it is wanted. */
export interface RequestBodyOptions {
  readonly length: number | undefined
  readonly maxBytes: number
  /** Sends `100 Continue` when the client waits for it. */
  readonly onWanted: () => void
  /** The client left before its body was complete. */
  readonly onGone: () => void
}

const NOTHING = Buffer.alloc(0)

/** Most requests have no body, and share this one. */
const NO_BODY: RequestBody = {
  isRead: () => true,
  isReplaced: () => false,
  length: () => 0,
  read: async () => NOTHING,
  replace() {
    throw new TypeError('there is no body to replace')
  },
  content: () => undefined,
}

/** The body of a request: read into memory at most once, or streamed. */
export function requestBody(request: IncomingMessage, options: RequestBodyOptions): RequestBody {
  return options.length === 0 ? NO_BODY : openBody(request, options)
}

function openBody(request: IncomingMessage, options: RequestBodyOptions): RequestBody {
  let bytes: Buffer | undefined
  let prefix: Buffer[] = []
  let ended = false
  let replaced = false
  /** How long a streamed body turned out to be, when all of it came before it was asked for. */
  let streamedLength: number | undefined
  return {
    isRead: () => bytes !== undefined,
    isReplaced: () => replaced,
    length: () => bytes?.length ?? options.length ?? streamedLength,
    async read(maxBytes) {
      if (bytes === undefined && !ended) {
        if (options.length !== undefined && options.length > maxBytes) return undefined
        options.onWanted()
        const collected = await collect(request, prefix, {
          maxBytes: Math.min(maxBytes, options.maxBytes),
          onGone: options.onGone,
        })
        prefix = collected.chunks
        ended = collected.ended
        if (ended) bytes = Buffer.concat(prefix)
      }
      return bytes !== undefined && bytes.length <= maxBytes ? bytes : undefined
    },
    replace(replacement) {
      replaced = true
      bytes = replacement
    },
    content() {
      if (bytes !== undefined) return bytes.length === 0 ? undefined : bytes
      options.onWanted()
      return limitedStream(request, prefix, {
        ...options,
        onComplete(length) {
          streamedLength = length
        },
      })
    },
  }
}

interface Collected {
  readonly chunks: Buffer[]
  readonly ended: boolean
}

/** Reads until the end or until more than `maxBytes` are there; then the stream is paused, nothing is lost. */
function collect(
  request: IncomingMessage,
  chunks: Buffer[],
  { maxBytes, onGone }: Pick<RequestBodyOptions, 'maxBytes' | 'onGone'>,
): Promise<Collected> {
  let length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  if (length > maxBytes) return Promise.resolve({ chunks, ended: false })
  return new Promise((resolve, reject) => {
    let complete = false
    const stopEarly = () => {
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose)
      request.pause()
      resolve({ chunks, ended: false })
    }
    const onData = (chunk: Buffer) => {
      chunks.push(chunk)
      length += chunk.length
      if (length > maxBytes) stopEarly()
    }
    // Nothing comes behind the end but its close: to take the listeners away would only cost time.
    const onEnd = () => {
      complete = true
      resolve({ chunks, ended: true })
    }
    const onClose = () => {
      if (complete) return
      onGone()
      reject(new Error('the client went away before the body was complete'))
    }
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
    if (request.destroyed && !request.readableEnded) onClose()
    request.resume()
  })
}

/**
 * A stream of its own: it is destroyed when the request to the upstream ends early, and destroying the
 * incoming message would cut the connection on which the client waits for its answer.
 */
function limitedStream(
  request: IncomingMessage,
  prefix: readonly Buffer[],
  {
    maxBytes,
    onGone,
    onComplete,
  }: Pick<RequestBodyOptions, 'maxBytes' | 'onGone'> & { readonly onComplete: (length: number) => void },
): Readable {
  let length = 0
  const stream = new Readable({
    read: () => void request.resume(),
    destroy(error, done) {
      request.off('data', onData).off('end', onEnd).off('close', onClose)
      done(error)
    },
  })
  const onData = (chunk: Buffer) => {
    length += chunk.length
    if (length > maxBytes) stream.destroy(new BodyTooLargeError('the body is too large'))
    else if (!stream.push(chunk)) request.pause()
  }
  const onEnd = () => {
    request.off('close', onClose)
    onComplete(length)
    stream.push(null)
  }
  const onClose = () => {
    onGone()
    stream.destroy(new Error('the client went away before the body was complete'))
  }
  // Without a listener an error that nobody waits for would end the process.
  stream.on('error', () => undefined)
  for (const chunk of prefix) onData(chunk)
  request.on('data', onData).on('end', onEnd).on('close', onClose)
  return stream
}
