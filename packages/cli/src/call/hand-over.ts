import type { Fetch } from '@agentic-rest/client'
import { conditions, headers, mediaTypeEssence, outcomes } from '@agentic-rest/profile'

/** An answer that the client's `run` cannot finish with. */
export interface HandedOver {
  /** `stream` is printed as it arrives; `wait` is shown at once, without waiting for its Retry-After. */
  readonly type: 'stream' | 'wait'
  /** Gives the same answer to a second client. */
  readonly fetch: Fetch
}

/** A `fetch` for a run, and the answer it kept from the run. */
export interface Watch {
  readonly fetch: Fetch
  /** Resolves with the kept answer. The caller then aborts the run. */
  readonly handedOver: Promise<HandedOver>
}

const waits: readonly number[] = [conditions.limit_exceeded, conditions.unavailable]

/**
 * A `fetch` that keeps two kinds of answers from a run. A run cannot read streams, and it would wait for the Retry-After
 * of a 429 or 503 that a user at a terminal wants to see. Requests of the run itself, such as the status of an
 * operation, are not affected.
 */
export function watchAnswers(send: Fetch): Watch {
  const { promise: handedOver, resolve } = Promise.withResolvers<HandedOver>()
  let first: string | undefined
  return {
    handedOver,
    async fetch(url, init) {
      const call = `${init.method} ${url}`
      first ??= call
      const connection = linkedTo(init.signal)
      const response = await send(url, { ...init, signal: connection.signal })
      const type = call === first ? typeOf(response) : undefined
      if (type === undefined) return response
      connection.unlink()
      resolve({ type, fetch: (_, { signal }) => answerAgain(response, connection, signal) })
      return untilAborted(init.signal)
    },
  }
}

function typeOf({ status, headers: fields }: Response): HandedOver['type'] | undefined {
  const essence = mediaTypeEssence(fields.get(headers.contentType) ?? undefined)
  if (status === outcomes.success.status && essence === 'text/event-stream') return 'stream'
  return waits.includes(status) ? 'wait' : undefined
}

interface Connection {
  readonly signal: AbortSignal
  abort(): void
  /** Stops following the linked signal. */
  unlink(): void
}

function linkedTo(signal: AbortSignal | null | undefined): Connection {
  const controller = new AbortController()
  const abort = () => controller.abort()
  signal?.addEventListener('abort', abort)
  if (signal?.aborted) abort()
  return { signal: controller.signal, abort, unlink: () => signal?.removeEventListener('abort', abort) }
}

/** Keeps the run waiting until it is aborted, so that it releases its resources. */
function untilAborted(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
}

async function answerAgain(
  response: Response,
  { abort }: Connection,
  signal: AbortSignal | null | undefined,
): Promise<Response> {
  signal?.addEventListener('abort', abort)
  return response
}
