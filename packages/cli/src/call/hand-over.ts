import type { Fetch } from '@agentic-rest/client'
import { conditions, headers, mediaTypeEssence, outcomes } from '@agentic-rest/profile'

/** An answer that a run would not end with, taken out of it. */
export interface HandedOver {
  /** A stream to print, or an answer to show at once where a run would wait as long as it says. */
  readonly type: 'stream' | 'wait'
  /** Gives the answer to another client, which reads it. */
  readonly fetch: Fetch
}

/** Watches the answers of a run. */
export interface Watch {
  readonly fetch: Fetch
  /** Resolves with an answer that is not the run's to read; the run is to be aborted then. */
  readonly handedOver: Promise<HandedOver>
}

const waits: readonly number[] = [conditions.limit_exceeded, conditions.unavailable]

/**
 * A `fetch` that keeps streams, and answers that say "later", from a run: it cannot read the first, and it would wait
 * out the second where somebody at a terminal wants to see it. What the run asks for on its own, such as the
 * status of an operation, is left to it.
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
  /** From here on the signal it was linked to ends it no more. */
  unlink(): void
}

function linkedTo(signal: AbortSignal | null | undefined): Connection {
  const controller = new AbortController()
  const abort = () => controller.abort()
  signal?.addEventListener('abort', abort)
  if (signal?.aborted) abort()
  return { signal: controller.signal, abort, unlink: () => signal?.removeEventListener('abort', abort) }
}

/** The run waits here until it is given up, and then clears what it has set up. */
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
