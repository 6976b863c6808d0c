import { EVENT_STREAM_TYPE, headers } from '@agentic-rest/profile'

/** A foreign answer that is passed on. */
export class RawResponse {
  readonly response: Response

  constructor(response: Response) {
    this.response = response
  }
}

/** Gives a foreign answer up, so that its connection is free again. Returns the fault, to be thrown. */
export function giveUp({ response }: RawResponse, message: string): TypeError {
  response.body?.cancel().catch(() => undefined)
  return new TypeError(message)
}

/**
 * Passes a foreign answer on unchanged, for example the stream of a model with a format of its own. An iterable has the frames
 * of an event stream. Inputs, identity and `check` come first, and the audit record has its end. Throws a `TypeError` for an answer
 * that is no success: return an outcome such as `failedDependency` instead.
 */
export function raw(source: Response | AsyncIterable<string | Uint8Array>): RawResponse {
  const response = source instanceof Response ? source : streamOf(source)
  if (!response.ok)
    throw new TypeError(`raw takes an answer with a status from 200 to 299, not ${response.status}`)
  return new RawResponse(response)
}

function streamOf(frames: AsyncIterable<string | Uint8Array>): Response {
  const encoder = new TextEncoder()
  const encoded = async function* () {
    for await (const frame of frames) yield typeof frame === 'string' ? encoder.encode(frame) : frame
  }
  return new Response(ReadableStream.from(encoded()), {
    headers: { [headers.contentType]: EVENT_STREAM_TYPE },
  })
}

/** How a body ended. */
export type StreamEnd = 'complete' | 'client_disconnect' | 'error'

/** A copy of a body that tells its end once. Cancelling the copy cancels the source. */
export function observeEnd(
  source: ReadableStream<Uint8Array<ArrayBuffer>>,
  onEnd: (end: StreamEnd, cause?: unknown) => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = source.getReader()
  let isCancelled = false
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          // A read that waited ends with the cancelling: the end is told already.
          if (isCancelled) return
          if (!done) return controller.enqueue(value)
          onEnd('complete')
          controller.close()
        } catch (cause) {
          if (isCancelled) return
          // The connection breaks off: a broken stream must not look complete.
          onEnd('error', cause)
          controller.error(cause)
        }
      },
      cancel(reason) {
        isCancelled = true
        onEnd('client_disconnect')
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
