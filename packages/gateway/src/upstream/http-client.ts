import type { Dispatcher } from 'undici'
import { Agent } from './undici-parts.ts'

/** An answer to a look-up, complete and small. */
export interface HttpAnswer {
  readonly status: number
  readonly body: Buffer
}

/** How one look-up is bounded. */
export interface HttpGetOptions {
  readonly timeoutMs: number
  readonly headers?: Readonly<Record<string, string>>
  /** More than this is refused; 64 KiB by default. */
  readonly maxBytes?: number
}

/**
 * Looks things up for plugins: key sets, tenants, licences. It never follows a redirect, because the address it
 * leads to is not one the operator configured, and it reads a bounded answer within a bounded time.
 */
export interface HttpClient {
  /** Rejects with an `HttpLookupError` when there is no complete answer; any status is an answer. */
  get(url: string, options: HttpGetOptions): Promise<HttpAnswer>
  close(): Promise<void>
}

/** Why a look-up gave no answer. The message names no address. */
export class HttpLookupError extends Error {
  override readonly name = 'HttpLookupError'
  readonly reason: 'timeout' | 'too_large' | 'unreachable'

  constructor(reason: 'timeout' | 'too_large' | 'unreachable', cause?: unknown) {
    super(`the look-up failed: ${reason}`, { cause })
    this.reason = reason
  }
}

const DEFAULT_MAX_BYTES = 65_536

/** Makes the client that look-ups share. Idle connections end before usual servers drop them. */
export function createHttpClient(): HttpClient {
  const agent = new Agent({ keepAliveTimeout: 4_000, connections: 16, pipelining: 1 })
  return {
    get: (url, options) => lookUp(agent, url, options),
    close: () => agent.destroy(),
  }
}

async function lookUp(agent: Dispatcher, url: string, options: HttpGetOptions): Promise<HttpAnswer> {
  const { timeoutMs, headers = {}, maxBytes = DEFAULT_MAX_BYTES } = options
  const { origin, pathname, search } = new URL(url)
  // The timer covers connecting, the head and every byte of the body: a dripping server is a slow one.
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const answer = await agent.request({ origin, path: pathname + search, method: 'GET', headers, signal })
    return { status: answer.statusCode, body: await readBounded(answer.body, maxBytes) }
  } catch (error) {
    if (error instanceof HttpLookupError) throw error
    throw new HttpLookupError(signal.aborted ? 'timeout' : 'unreachable', error)
  }
}

async function readBounded(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > maxBytes) throw new HttpLookupError('too_large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length)
}
