import { dispatch } from './dispatch.ts'
import { type Connections, createConnections } from './http1/connections.ts'
import { originOf } from './http1/open-socket.ts'
import { createPlaces, type Places } from './places.ts'
import { collectBody } from './upstream-answer.ts'

/** An answer to a look-up, complete and small. */
export interface HttpAnswer {
  readonly status: number
  readonly body: Buffer
}

/** How one look-up is bounded. */
export interface HttpGetOptions {
  readonly timeoutMs: number
  readonly headers?: Readonly<Record<string, string>>
  /** Asks once more, on a new connection, when the first was lost at the idle edge of one (F8). */
  readonly repeatLost?: boolean
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
const CONNECTIONS_PER_ORIGIN = 16
/** More look-ups than this at once are a flood, and the one that waits longest has timed out anyway. */
const WAITING_PER_ORIGIN = 1024

interface LookupOrigin {
  readonly connections: Connections
  readonly places: Places
}

/** Makes the client that look-ups share. Their addresses come from the configuration, so there are few. */
export function createHttpClient(): HttpClient {
  const origins = new Map<string, LookupOrigin>()
  const originAt = ({ origin, host }: URL) => {
    const known = origins.get(origin) ?? openOrigin(origin, host)
    origins.set(origin, known)
    return known
  }
  return {
    async get(url, options) {
      const address = new URL(url)
      return await lookUp(originAt(address), address, options)
    },
    close: async () => [...origins.values()].forEach(({ connections }) => void connections.close()),
  }
}

function openOrigin(origin: string, host: string): LookupOrigin {
  return {
    connections: createConnections(originOf(origin), host, CONNECTIONS_PER_ORIGIN),
    places: createPlaces({ places: CONNECTIONS_PER_ORIGIN, waiting: WAITING_PER_ORIGIN }),
  }
}

async function lookUp(
  { connections, places }: LookupOrigin,
  { pathname, search }: URL,
  { timeoutMs, headers = {}, repeatLost = false, maxBytes = DEFAULT_MAX_BYTES }: HttpGetOptions,
): Promise<HttpAnswer> {
  // The timer covers connecting, the head and every byte of the body: a dripping server is a slow one.
  const signal = AbortSignal.timeout(timeoutMs)
  const failed = (cause: unknown) => new HttpLookupError(signal.aborted ? 'timeout' : 'unreachable', cause)
  const release = await Promise.resolve(places.take(signal)).catch((error: unknown) => {
    throw failed(error)
  })
  if (release === undefined) throw new HttpLookupError('unreachable', new Error('too many look-ups wait'))
  const request = {
    method: 'GET',
    path: pathname + search,
    headers: Object.entries(headers).flat(),
    body: undefined,
    length: () => undefined,
    signal,
    repeatable: repeatLost,
    onSettled: release,
  }
  const answer = await dispatch({ connections }, request).catch((error: unknown) => {
    throw failed(error)
  })
  const collected = await collectBody(answer.body, maxBytes)
  if ('bytes' in collected) return { status: answer.status, body: collected.bytes }
  if (collected.problem === 'too_large') throw new HttpLookupError('too_large')
  throw failed(collected.error)
}
