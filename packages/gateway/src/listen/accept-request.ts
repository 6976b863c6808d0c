import { randomBytes } from 'node:crypto'
import {
  type AcceptedRequest,
  type ArrivedRequest,
  badRequest,
  ClientReply,
  type IncomingBody,
  type Peer,
  type WireHead,
} from '@agentic-rest/http1'
import { Cancellation, Exchange, type Reply } from '../exchange.ts'
import { corsHeaders } from './cors.ts'
import type { AcceptedStream, ArrivedStream } from './http2/connection.ts'
import { StreamReply, type StreamReplyOptions } from './http2/stream-reply.ts'
import { requestBody } from './request-body.ts'
import { type JudgedHead, readRequestHead } from './request-head.ts'

const MAX_REQUESTS_PER_CONNECTION = 1000

/** The state of the listener that a request arrives at. */
export interface AcceptOptions {
  readonly maxBodyBytes: number
  readonly corsOrigins: readonly string[] | undefined
  readonly nextSpanId: () => string
}

/**
 * Turns a request into an exchange. Nothing behind this point knows the wire. Throws a `MalformedRequestError` for one
 * that needs a host and has none.
 */
export function acceptRequest(
  { connection, head: wireHead, body }: ArrivedRequest,
  options: AcceptOptions,
): AcceptedRequest<Exchange> {
  const head = readRequestHead(wireHead)
  if (lacksHost(wireHead, head)) throw badRequest('MISSING_HOST')
  const isLast =
    head.endsConnection || !wireHead.keepsAlive || connection.requestCount >= MAX_REQUESTS_PER_CONNECTION
  const reply = new ClientReply(connection, {
    head: wireHead,
    corsHeaders: corsHeaders(options.corsOrigins, head.headers['origin']),
    isLast,
    expectsContinue: expectsContinue(wireHead, head),
  })
  const { peer, now, isPromised } = connection
  const parts = { head, framing: wireHead.framing, body, reply, peer, at: now, isPromised }
  return { ...exchangeOf(parts, options), reply, isLast }
}

/** Turns a stream of HTTP/2 into an exchange. */
export function acceptStream(
  { peer, stream, head: wireHead, body, at }: ArrivedStream,
  options: AcceptOptions & Pick<StreamReplyOptions, 'date'>,
): AcceptedStream {
  const head = readRequestHead(wireHead)
  const reply = new StreamReply(stream, {
    corsHeaders: corsHeaders(options.corsOrigins, head.headers['origin']),
    expectsContinue: expectsContinue(wireHead, head),
    isHeadRequest: head.method === 'HEAD',
    date: options.date,
  })
  const parts = { head, framing: wireHead.framing, body, reply, peer, at, isPromised: false }
  return { ...exchangeOf(parts, options), reply }
}

interface ExchangeParts {
  readonly head: JudgedHead
  readonly framing: WireHead['framing']
  readonly body: IncomingBody | undefined
  readonly reply: Reply & Pick<ClientReply, 'sendContinue'>
  readonly peer: Peer
  /** The arrival of the head, by `performance.now()`. */
  readonly at: number
  readonly isPromised: boolean
}

function exchangeOf(
  { head, framing, body, reply, peer, at, isPromised }: ExchangeParts,
  { maxBodyBytes: maxBytes, nextSpanId }: AcceptOptions,
): { readonly exchange: Exchange; readonly signal: Cancellation } {
  const signal = new Cancellation()
  const length = typeof framing === 'number' ? framing : undefined
  const exchange = new Exchange(head, {
    body: requestBody(body, { length, maxBytes, signal, reply }),
    reply,
    signal,
    clientAddress: peer.clientAddress,
    protocol: peer.protocol,
    certificateDigest: peer.certificateDigest,
    spanId: nextSpanId(),
    startedAt: at,
    isPromised,
  })
  return { exchange, signal }
}

/** RFC 9112, section 3.2: a request without Host is answered with 400; a tunnel is refused in any case. */
function lacksHost({ httpVersion, method }: WireHead, { headers }: JudgedHead): boolean {
  return headers['host'] === undefined && httpVersion === '1.1' && method !== 'CONNECT'
}

const CONTINUE_VERSIONS = new Set(['1.1', '2'])
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i

/** Other expectations are not judged: the header is dropped and the request goes on. */
function expectsContinue({ httpVersion }: WireHead, { headers }: JudgedHead): boolean {
  const { expect } = headers
  return expect !== undefined && CONTINUE_VERSIONS.has(httpVersion) && CONTINUE.test(expect)
}

const HALF = 0x1_0000_0000

/**
 * Makes span ids: a random half that tells processes apart and a half that counts. No two requests share one, even
 * when a caller sends one request id twice, and none needs a call for randomness.
 */
export function createSpanIds(random: Buffer = randomBytes(8)): () => string {
  // W3C Trace Context, section 3.2.2.4: all zeros would mean "none", so the constant half is never zero.
  const process = hexadecimal(random.readUInt32BE(0) || 1)
  let count = random.readUInt32BE(4)
  return () => {
    count = (count + 1) % HALF
    return process + hexadecimal(count)
  }
}

function hexadecimal(half: number): string {
  return half.toString(16).padStart(8, '0')
}
