import type { IncomingMessage, ServerResponse } from 'node:http'
import { createCancellation } from '../cancel-signal.ts'
import type { Exchange } from '../exchange.ts'
import { NOWHERE } from '../lifetime/active-exchanges.ts'
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
  readonly nextSpanId: () => string
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
  const { signal, cancel } = createCancellation()
  const open = { request, response, cancel, earlier: options.connection.newest }
  response.on('close', () => {
    open.earlier = undefined
    if (!response.writableFinished) cancel('client_disconnect')
    // Answered before its body was read: the rest is thrown away, so that a client that writes first and reads then
    // gets its answer, and the next request can come. `requestTimeout` bounds it.
    else if (!request.complete) request.resume()
  })
  // A body that is cut off shows as an error of the request; `close` above is what counts.
  request.on('error', ignore)
  response.on('error', ignore)
  options.connection.newest = open
  const { body, reply } = openWire(request, response, { options, head, cancel })
  // Written out and not spread: every request pays for this object.
  return {
    method: head.method,
    path: head.path,
    query: head.query,
    headers: head.headers,
    rawHeaders: head.rawHeaders,
    trace: head.trace,
    headFault: head.headFault,
    clientAddress: options.connection.clientAddress,
    protocol: options.connection.protocol,
    startedAt,
    spanId: options.nextSpanId(),
    body,
    reply,
    signal,
    cancel,
    // What the later steps set.
    route: undefined,
    params: NO_PARAMS,
    allowedMethods: NONE,
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
    violations: NONE,
    seatInLoad: NOWHERE,
    seatInSnapshot: NOWHERE,
    result: undefined,
  }
}

const NONE: readonly string[] = []
const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze(Object.create(null))

function ignore(): void {}

function openWire(
  request: IncomingMessage,
  response: ServerResponse,
  {
    options,
    head,
    cancel,
  }: {
    readonly options: AcceptOptions
    readonly head: RequestHead
    readonly cancel: Exchange['cancel']
  },
): Pick<Exchange, 'body' | 'reply'> {
  const { connection, expectsContinue } = options
  let waitsForContinue = expectsContinue
  // Answers to earlier requests of the connection may still be due, and they must not end it.
  const isLast = head.endsConnection || connection.requestCount >= MAX_REQUESTS_PER_CONNECTION
  connection.closing ||= isLast
  const body = requestBody(request, {
    length: declaredLength(head),
    maxBytes: options.maxBodyBytes,
    onGone: () => cancel('client_disconnect'),
    onWanted() {
      if (waitsForContinue) response.writeContinue()
      waitsForContinue = false
    },
  })
  const reply = createReply(response, {
    corsHeaders: corsHeaders(options.corsOrigins, head.headers['origin']),
    closesConnection(headers) {
      // A client that was never told to continue may or may not send its body: what follows cannot be framed.
      // While draining, requests behind this one on the connection are still answered.
      const drained = options.isDraining() && connection.newest?.response === response
      const closes = isLast || waitsForContinue || drained || endsWithConnection(request, headers)
      connection.closing ||= closes
      connection.ended ||= closes
      return closes
    },
  })
  return { body, reply }
}

/** HTTP/1.0 has no chunks: the end of a body without a length is the end of the connection, and Node sees to that. */
function endsWithConnection({ httpVersion }: IncomingMessage, headers: readonly string[]): boolean {
  if (httpVersion !== '1.0') return false
  return !headers.some((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-length')
}

function declaredLength({ headers }: RequestHead): number | undefined {
  if (headers['transfer-encoding'] !== undefined) return undefined
  return Number(headers['content-length'] ?? 0)
}
