import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Cancellation, Exchange } from '../exchange.ts'
import type { Connection } from './connection.ts'
import { corsHeaders } from './cors.ts'
import type { DiscardedBodies } from './discarded-bodies.ts'
import { ClientReply } from './reply.ts'
import { requestBody } from './request-body.ts'
import { type JudgedHead, readRequestHead } from './request-head.ts'

// Our own limit: Node would answer requests pipelined behind the last one with a 503 of its own.
const MAX_REQUESTS_PER_CONNECTION = 1000

/** The state of the listener and of the connection that a request arrives on. */
export interface AcceptOptions {
  readonly maxBodyBytes: number
  readonly corsOrigins: readonly string[] | undefined
  readonly isDraining: () => boolean
  readonly connection: Connection
  readonly nextSpanId: () => string
  readonly discarded: DiscardedBodies
  /** The client sent `Expect: 100-continue` and waits. */
  readonly expectsContinue: boolean
}

/** Turns a parsed request into an exchange. Nothing behind this point knows `node:http`. */
export function acceptRequest(
  request: IncomingMessage,
  response: ServerResponse,
  options: AcceptOptions,
): Exchange {
  const startedAt = performance.now()
  const { connection, expectsContinue, isDraining, discarded } = options
  const head = readRequestHead(request)
  const signal = new Cancellation()
  followConnection(request, response, { connection, signal, discarded })
  // Answers to earlier requests of the connection may still be due, and they must not end it.
  const isLast = head.endsConnection || connection.requestCount >= MAX_REQUESTS_PER_CONNECTION
  connection.closing ||= isLast
  const reply = new ClientReply(response, {
    request,
    connection,
    corsHeaders: corsHeaders(options.corsOrigins, head.headers['origin']),
    isLast,
    expectsContinue,
    isDraining,
  })
  const length = declaredLength(head)
  return new Exchange(head, {
    body: requestBody(request, { length, maxBytes: options.maxBodyBytes, signal, reply }),
    reply,
    signal,
    clientAddress: connection.clientAddress,
    protocol: connection.protocol,
    certificateDigest: connection.certificateDigest,
    spanId: options.nextSpanId(),
    startedAt,
  })
}

interface Followed {
  readonly connection: Connection
  readonly discarded: DiscardedBodies
  readonly signal: Cancellation
}

/** Makes the request the newest of its connection, and cancels it when the client leaves. */
function followConnection(
  request: IncomingMessage,
  response: ServerResponse,
  { connection, signal, discarded }: Followed,
): void {
  const open = { request, response, signal, earlier: connection.newest }
  response.on('close', () => {
    open.earlier = undefined
    if (!response.writableFinished) signal.cancel('client_disconnect')
    // Answered before its body was read: the rest is discarded, so that a client that writes before it reads gets its
    // answer, and the next request can come. `requestTimeout` bounds it.
    else if (!request.complete) discarded.add(request)
  })
  // A body that is cut off shows as an error of the request; `close` above is the event that counts.
  request.on('error', ignore)
  response.on('error', ignore)
  connection.newest = open
}

function ignore(): void {}

function declaredLength({ headers }: JudgedHead): number | undefined {
  if (headers['transfer-encoding'] !== undefined) return undefined
  return Number(headers['content-length'] ?? 0)
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
