import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { CancelReason, Exchange } from '../exchange.ts'
import type { Connection } from './connection.ts'
import { corsHeaders } from './cors.ts'
import { createReply } from './reply.ts'
import { requestBody } from './request-body.ts'
import { type RequestHead, readRequestHead } from './request-head.ts'

// Counted by us, because Node answers what is pipelined behind the last one with a 503 of its own.
const MAX_REQUESTS_PER_CONNECTION = 1000

/** What the listener knows beside the request. */
export interface AcceptOptions {
  readonly maxBodyBytes: number
  readonly corsOrigins: readonly string[] | undefined
  readonly isDraining: () => boolean
  readonly connection: Connection
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
  const head = readRequestHead(request)
  const controller = new AbortController()
  const cancel = (reason: CancelReason) => controller.abort(reason)
  response.once('close', () => {
    if (!response.writableFinished) cancel('client_disconnect')
    // Answered before its body was read: the rest is thrown away, so that a client that writes first and reads then
    // gets its answer, and the next request can come. `requestTimeout` bounds it.
    else if (!request.complete) request.resume()
  })
  // A body that is cut off shows as an error of the request; `close` above is what counts.
  request.on('error', () => undefined)
  response.on('error', () => undefined)
  options.connection.newest = { request, response, cancel }
  const { body, reply } = openWire(request, response, { ...options, head, cancel })
  const { endsConnection: _, ...taken } = head
  return {
    ...taken,
    // On a listener for both families an IPv4 client shows as `::ffff:192.0.2.1`.
    clientAddress: request.socket.remoteAddress?.replace(/^::ffff:(?=[\d.]+$)/, '') ?? '',
    protocol: (request.socket as Partial<TLSSocket>).encrypted ? 'https' : 'http',
    startedAt,
    body,
    reply,
    signal: controller.signal,
    cancel,
    ...untouched,
  }
}

/** What the later steps set. */
const untouched = {
  route: undefined,
  params: Object.freeze(Object.create(null)) as Readonly<Record<string, string>>,
  allowedMethods: [],
  streaming: false,
  deadline: undefined,
  identity: undefined,
  actor: '',
  tenantId: undefined,
  bodyUninspected: false,
  releaseSlot: undefined,
  auditEvent: undefined,
  requestBodyForAudit: undefined,
  upstreamStartedAt: undefined,
  upstreamEndedAt: undefined,
  streamError: undefined,
  violations: [],
  result: undefined,
} as const

function openWire(
  request: IncomingMessage,
  response: ServerResponse,
  options: AcceptOptions & { readonly head: RequestHead; readonly cancel: Exchange['cancel'] },
): Pick<Exchange, 'body' | 'reply'> {
  const { head, connection, expectsContinue } = options
  let waitsForContinue = expectsContinue
  // Answers to earlier requests of the connection may still be due, and they must not end it.
  const isLast = head.endsConnection || connection.requestCount >= MAX_REQUESTS_PER_CONNECTION
  connection.closing ||= isLast
  const body = requestBody(request, {
    length: declaredLength(head),
    maxBytes: options.maxBodyBytes,
    onGone: () => options.cancel('client_disconnect'),
    onWanted() {
      if (waitsForContinue) response.writeContinue()
      waitsForContinue = false
    },
  })
  const reply = createReply(response, {
    corsHeaders: corsHeaders(options.corsOrigins, head.headers['origin']),
    closesConnection() {
      // A client that was never told to continue may or may not send its body: what follows cannot be framed.
      // While draining, requests behind this one on the connection are still answered.
      const drained = options.isDraining() && connection.newest?.response === response
      const closes = isLast || waitsForContinue || drained
      connection.closing ||= closes
      return closes
    },
  })
  return { body, reply }
}

function declaredLength({ headers }: RequestHead): number | undefined {
  if (headers['transfer-encoding'] !== undefined) return undefined
  return Number(headers['content-length'] ?? 0)
}
