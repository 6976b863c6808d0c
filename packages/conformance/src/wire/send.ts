import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { type Arrival, type Exchange, type SentRequest, toAnswer } from './exchange.ts'

/** The limits of an answer. */
export interface Limits {
  readonly timeoutMs: number
  readonly maxBytes: number
}

/** Limits for an ordinary answer. */
export const usualLimits: Limits = { timeoutMs: 15_000, maxBytes: 1_048_576 }

/** Watches a body while it arrives; returns true to stop reading. */
export type Watcher = (arrivals: readonly Arrival[], status: number) => boolean

/** An answer with a complete head and an open body. */
export interface OpenExchange {
  readonly exchange: Exchange
  /** Whether the body or the connection has ended. */
  hasEnded(): boolean
  close(): void
}

const MAX_HEADER_BYTES = 65_536

/**
 * Sends one request on a new connection and reads the answer within the limits. It never throws and follows no
 * redirects. `fetch` would crash the process when a service closes the connection of an unread body.
 */
export async function send(
  request: SentRequest,
  limits: Limits = usualLimits,
  watcher?: Watcher,
): Promise<Exchange> {
  const startedAt = performance.now()
  const signal = AbortSignal.timeout(limits.timeoutMs)
  try {
    const message = await start(request, signal)
    const { bytes, cut, arrivals } = await readBody(message, { limits, signal, startedAt, watcher })
    const decoded = decodeBody(bytes, message.headers['content-encoding'], limits.maxBytes)
    const answer = toAnswer({
      status: message.statusCode ?? 0,
      rawHeaders: message.rawHeaders,
      body: decoded.text,
      cut: cut ?? decoded.fault,
      arrivals,
      elapsedMs: performance.now() - startedAt,
    })
    return { request, answer }
  } catch (error) {
    return { request, failure: wordFailure(error, limits.timeoutMs) }
  }
}

/** Sends a request and resolves with the head of its answer. The body is read and discarded until `close`. */
export async function openStream(request: SentRequest, limits: Limits = usualLimits): Promise<OpenExchange> {
  const startedAt = performance.now()
  try {
    const message = await start(request, AbortSignal.timeout(limits.timeoutMs))
    let ended = false
    const end = () => {
      ended = true
    }
    // The end of a held stream, by either side, is not a fault here.
    message.on('close', end).on('error', end).resume()
    const answer = toAnswer({
      status: message.statusCode ?? 0,
      rawHeaders: message.rawHeaders,
      body: '',
      cut: 'only the head was read',
      arrivals: [],
      elapsedMs: performance.now() - startedAt,
    })
    return { exchange: { request, answer }, hasEnded: () => ended, close: () => void message.destroy() }
  } catch (error) {
    const exchange = { request, failure: wordFailure(error, limits.timeoutMs) }
    return { exchange, hasEnded: () => true, close: () => undefined }
  }
}

function start({ method, url, headers, body }: SentRequest, timeout: AbortSignal): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const open = url.startsWith('https:') ? httpsRequest : httpRequest
  // A new connection per request: leftovers of one answer cannot become the next answer.
  const outgoing = open(url, { method, headers, agent: false, maxHeaderSize: MAX_HEADER_BYTES })
  const expire = () => outgoing.destroy(timeout.reason)
  timeout.addEventListener('abort', expire)
  outgoing.on('response', resolve)
  outgoing.on('upgrade', (_message, socket) => {
    reject(new Error('UPGRADED'))
    socket.on('error', () => undefined).destroy()
  })
  outgoing.on('error', reject)
  outgoing.on('close', () => {
    timeout.removeEventListener('abort', expire)
    reject(new Error('CLOSED'))
  })
  outgoing.end(body)
  return promise
}

interface Reading {
  readonly limits: Limits
  readonly signal: AbortSignal
  readonly startedAt: number
  readonly watcher: Watcher | undefined
}

interface ReadBody {
  readonly bytes: Buffer
  readonly cut: string | undefined
  readonly arrivals: readonly Arrival[]
}

async function readBody(
  message: IncomingMessage,
  { limits, signal, startedAt, watcher }: Reading,
): Promise<ReadBody> {
  const chunks: Buffer[] = []
  const arrivals: Arrival[] = []
  let size = 0
  const brokenOff = (error: unknown) => `the body breaks off: ${wordFailure(error, limits.timeoutMs)}`
  const result = (cut?: string) => ({ bytes: Buffer.concat(chunks), cut, arrivals })
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > limits.maxBytes) return result(`the body is longer than ${limits.maxBytes} bytes`)
      chunks.push(chunk)
      if (watcher === undefined) continue
      arrivals.push({ atMs: performance.now() - startedAt, text: chunk.toString('latin1') })
      if (watcher(arrivals, message.statusCode ?? 0)) return result('enough was seen')
    }
    // A body that ends with its connection looks complete after our own timeout closed the connection.
    return result(signal.aborted ? brokenOff(signal.reason) : undefined)
  } catch (error) {
    return result(brokenOff(signal.aborted ? signal.reason : error))
  } finally {
    message.destroy()
  }
}

/** A body as text, or the reason why it cannot be read. */
interface DecodedBody {
  readonly text: string
  readonly fault: string | undefined
}

const decoders = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
])

/** Decompresses a body, with a size limit against decompression bombs. No encoding was requested. */
function decodeBody(bytes: Buffer, encoding: string | undefined, maxBytes: number): DecodedBody {
  const name = encoding?.trim().toLowerCase() ?? ''
  if (name === '' || name === 'identity') return decodeText(bytes)
  const decode = decoders.get(name)
  if (decode === undefined)
    return { text: '', fault: 'the content encoding is not one of gzip, deflate and br' }
  try {
    return decodeText(decode(bytes, { maxOutputLength: maxBytes }))
  } catch {
    return { text: '', fault: `the body cannot be unpacked into ${maxBytes} bytes` }
  }
}

function decodeText(bytes: Buffer): DecodedBody {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), fault: undefined }
  } catch {
    return { text: bytes.toString('latin1'), fault: 'the body is not UTF-8 text' }
  }
}

const words: ReadonlyMap<unknown, string> = new Map([
  ['ECONNREFUSED', 'the connection was refused'],
  ['ECONNRESET', 'the connection was reset'],
  ['EPIPE', 'the connection was closed while the request was sent'],
  ['ENOTFOUND', 'the host name is not known'],
  ['EAI_AGAIN', 'the host name could not be looked up'],
  ['EHOSTUNREACH', 'the host cannot be reached'],
  ['ENETUNREACH', 'the network cannot be reached'],
  ['ETIMEDOUT', 'the connection timed out'],
  ['HPE_HEADER_OVERFLOW', 'the headers are longer than 64 KiB'],
  ['UPGRADED', 'the connection was switched to another protocol'],
  ['CLOSED', 'the connection was closed without an answer'],
])

/** Describes in fixed words why there is no answer. It contains no text of the service. */
export function wordFailure(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return 'the exchange failed'
  if (error.name === 'TimeoutError') return `there was no complete answer within ${timeoutMs / 1000} s`
  const code = 'code' in error ? error.code : error.message
  const known = words.get(code) ?? words.get(error.message)
  if (known !== undefined) return known
  if (typeof code !== 'string') return 'the exchange failed'
  if (code.startsWith('HPE_')) return 'the answer is not HTTP'
  return /^[A-Z][A-Z0-9_]{2,40}$/.test(code) ? `the exchange failed with ${code}` : 'the exchange failed'
}
