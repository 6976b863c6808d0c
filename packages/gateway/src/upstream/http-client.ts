import { ConnectionPool, originOf } from '@agentic-rest/http1'
import { Semaphore } from '../limits/shares/semaphore.ts'
import { collectBody, dispatch } from './dispatch.ts'

/** The complete answer to a lookup. */
export interface HttpAnswer {
  readonly status: number
  readonly body: Buffer
}

/** The options of one lookup. */
export interface HttpGetOptions {
  readonly timeoutMs: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sends the request once more on a new connection if the server closed an idle one just then (F8). */
  readonly repeatLost?: boolean
  /** Largest answer; 64 KiB by default. */
  readonly maxBytes?: number
}

/** The options of a lookup that sends a text. */
export interface HttpPostOptions extends HttpGetOptions {
  readonly body: string
}

/**
 * Fetches key sets, tenants, licences and verdicts on tokens for plugins, with bounds on time and size. It never follows a redirect: only
 * the operator chooses addresses.
 */
export interface HttpClient {
  /** Rejects with an `HttpLookupError` without a complete answer; any status is an answer. */
  get(url: string, options: HttpGetOptions): Promise<HttpAnswer>
  /** Like `get`, with a body. */
  post(url: string, options: HttpPostOptions): Promise<HttpAnswer>
  close(): Promise<void>
}

/** A lookup without an answer. The message names no address. */
export class HttpLookupError extends Error {
  override readonly name = 'HttpLookupError'
  readonly reason: 'timeout' | 'too_large' | 'unreachable'
  /** Its cause has the code of an address that cannot be reached. */
  readonly code: string | undefined

  constructor(reason: 'timeout' | 'too_large' | 'unreachable', cause?: unknown) {
    super(`the look-up failed: ${reason}`, { cause })
    this.reason = reason
    this.code = lookupCodes[reason]
  }
}

const lookupCodes = { timeout: 'ETIMEDOUT', too_large: 'TOO_LARGE', unreachable: undefined } as const

const DEFAULT_MAX_BYTES = 65_536
const CONNECTIONS_PER_ORIGIN = 16
/** Longer queues are a flood, whose oldest lookup has timed out anyway. */
const QUEUE_PER_ORIGIN = 1024

/** The connections of a lookup, and the bound of concurrent ones. */
export interface LookupOrigin {
  readonly connections: ConnectionPool
  readonly permits: Semaphore
}

/** Makes the client of all lookups. It keeps every origin: addresses come from the configuration and are few. */
export function createHttpClient(): HttpClient {
  const origins = new Map<string, LookupOrigin>()
  const originAt = ({ origin }: URL) => {
    const known = origins.get(origin) ?? openOrigin(origin)
    origins.set(origin, known)
    return known
  }
  const send = async (url: string, options: LookupOptions) => {
    const address = new URL(url)
    return await lookUp(originAt(address), address, options)
  }
  return {
    get: (url, options) => send(url, { method: 'GET', ...options }),
    post: (url, options) => send(url, { method: 'POST', ...options }),
    close: async () => [...origins.values()].forEach(({ connections }) => void connections.close()),
  }
}

/** Look-ups are of the gateway itself. */
const NO_TENANT = ''

function openOrigin(origin: string): LookupOrigin {
  return {
    connections: new ConnectionPool(originOf(origin), CONNECTIONS_PER_ORIGIN),
    permits: new Semaphore({ permits: CONNECTIONS_PER_ORIGIN, queue: QUEUE_PER_ORIGIN }),
  }
}

/** A lookup with its method. */
export interface LookupOptions extends HttpGetOptions {
  readonly method: 'GET' | 'POST'
  readonly body?: string
}

/** Sends one request with bounds on time and size; rejects with an `HttpLookupError` without a complete answer. */
export async function lookUp(
  { connections, permits }: LookupOrigin,
  { pathname, search }: URL,
  options: LookupOptions,
): Promise<HttpAnswer> {
  const { method, timeoutMs, headers = {}, repeatLost = false, maxBytes = DEFAULT_MAX_BYTES } = options
  const body = options.body === undefined ? undefined : Buffer.from(options.body)
  // The timer covers the connection, the head and every byte of the body: a dripping server is a slow one.
  const signal = AbortSignal.timeout(timeoutMs)
  const failed = (cause: unknown) => new HttpLookupError(signal.aborted ? 'timeout' : 'unreachable', cause)
  const release = await Promise.resolve(permits.take(NO_TENANT, signal)).catch((error: unknown) => {
    throw failed(error)
  })
  if (typeof release === 'string')
    throw new HttpLookupError('unreachable', new Error('too many look-ups wait'))
  const request = {
    method,
    path: pathname + search,
    headers: Object.entries(headers).flat(),
    body,
    length: body?.length,
    signal,
    repeatable: repeatLost,
    onSettled: release,
  }
  const answer = await dispatch(connections, request).catch((error: unknown) => {
    throw failed(error)
  })
  const collected = await collectBody(answer.body, maxBytes)
  if ('bytes' in collected) return { status: answer.status, body: collected.bytes }
  if (collected.problem === 'too_large') throw new HttpLookupError('too_large')
  throw failed(collected.error)
}
