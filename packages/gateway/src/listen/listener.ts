import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import { malformedStatuses } from '@agentic-rest/profile'
import { InitialisationError } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import type { Log } from '../log.ts'
import { acceptRequest, createSpanIds } from './accept-request.ts'
import { type Connection, cancelOpen, createConnections, endConnection, whenAnswered } from './connection.ts'
import type { HandedConnections } from './handed-connections.ts'
import { answerMalformedRequest } from './malformed-request.ts'
import type { ServerCertificate } from './server-certificate.ts'

/** What can be changed while a listener is open. */
export interface ListenerSettings {
  readonly limits: {
    readonly max_body_bytes: number
    readonly max_header_bytes: number
    readonly max_headers: number
    readonly max_connections: number
  }
  readonly corsOrigins: readonly string[] | undefined
  readonly certificate: ServerCertificate | undefined
}

// An import would read every export, and two of them load all of Node's fetch: 26 ms of every start.
const http = process.getBuiltinModule('node:http')

/** Where a server listens. */
export interface Address {
  readonly host: string
  readonly port: number
  /** The key that sets the port, for the fault when it is taken; `gateway.port` unless given. */
  readonly setting?: string
  readonly log: Log
}

/** What a listener needs. */
export interface ListenerOptions extends ListenerSettings, Address {
  /** Shorter ones, for tests of slow clients. */
  readonly timeouts?: { readonly headersMs: number; readonly requestMs: number }
  readonly handle: (exchange: Exchange) => void
  /** Where connections come from when another process listens for this one. */
  readonly handed?: HandedConnections | undefined
}

/** The socket side of the gateway. */
export interface Listener {
  /** Resolves with the port once connections are accepted. */
  open(): Promise<number>
  readonly connections: number
  /** How many connections were ever taken up. */
  readonly accepted: number
  /**
   * Changes what it goes by from the next request, connection or handshake on. Whether it speaks TLS and how large a head
   * may be, Node settles when a server is made.
   */
  apply(settings: ListenerSettings): void
  /** Accepts no new connection; answers on those that are open end them. */
  drain(): void | Promise<void>
  /** Ends every connection, whatever it does. */
  close(): Promise<void>
}

/** What every connection of a client is set to, whoever accepts it. */
export const socketOptions = {
  noDelay: true,
  // Lets the kernel find peers that vanished: a stream without deadline would hold its slot for ever.
  keepAlive: true,
  keepAliveInitialDelay: 60_000,
} as const

const TIMEOUTS = { headersMs: 10_000, requestMs: 60_000 }
const TLS = { minVersion: 'TLSv1.2' } as const
const KEEP_ALIVE_TIMEOUT_MS = 65_000
// Without this Node looks for slow clients only every 30 s (F6).
const CONNECTIONS_CHECKING_INTERVAL_MS = 1000

/** Makes the listener for clients. */
export function createListener(options: ListenerOptions): Listener {
  const sockets = new Set<Socket>()
  let accepted = 0
  let draining = false
  let settings: ListenerSettings = options
  const server = makeServer(options)
  const connectionOf = createConnections()
  const nextSpanId = createSpanIds()
  const accept: Accept = (request, response, expectsContinue) => {
    const connection = connectionOf(request.socket)
    if (connection.closing) return
    connection.requestCount += 1
    const earlier = connection.newest
    const exchange = acceptRequest(request, response, {
      maxBodyBytes: settings.limits.max_body_bytes,
      corsOrigins: settings.corsOrigins,
      isDraining: () => draining,
      connection,
      nextSpanId,
      expectsContinue,
    })
    if (lacksHost(request, exchange)) {
      connection.closing = true
      whenAnswered(earlier, () => void response.writeHead(malformedStatuses.badRequest, CLOSE).end())
      return
    }
    whenAnswered(earlier, () => {
      if (connection.ended) exchange.signal.cancel('client_disconnect')
      options.handle(exchange)
    })
  }
  trackSockets(server, sockets)
  server.on('connection', () => {
    accepted += 1
  })
  addHandlers(server, accept, connectionOf)
  return {
    open: () => options.handed?.open(server) ?? open(server, options),
    get connections() {
      return sockets.size
    },
    get accepted() {
      return accepted
    },
    apply(changed) {
      settings = changed
      setLimits(server, changed)
      if (changed.certificate !== undefined && 'setSecureContext' in server)
        (server as TlsServer).setSecureContext({ ...changed.certificate, ...TLS })
    },
    drain() {
      draining = true
      if (options.handed !== undefined) return options.handed.close()
      // The close of an HTTP server would also cut idle connections, and with them a request that is on its way (F5).
      NetServer.prototype.close.call(server)
      return undefined
    },
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function makeServer({ limits, certificate, timeouts = TIMEOUTS }: ListenerOptions): Server {
  const serverOptions = {
    maxHeaderSize: limits.max_header_bytes,
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionsCheckingInterval: CONNECTIONS_CHECKING_INTERVAL_MS,
    // Ours to see to: Node answers by itself, and what is pipelined behind it would still be worked on.
    requireHostHeader: false,
    optimizeEmptyRequests: true,
    ...socketOptions,
    // An upgrade is ignored and the request answered as it is (RFC 9110, section 7.8).
    shouldUpgradeCallback: () => false,
  }
  const server = certificate
    ? createTlsServer({
        ...serverOptions,
        ...certificate,
        ...TLS,
        // A client that never finishes its handshake is a slow head too; Node would wait for two minutes.
        handshakeTimeout: timeouts.headersMs,
        ALPNProtocols: ['http/1.1'],
      })
    : http.createServer(serverOptions)
  setLimits(server, { limits })
  return server
}

function setLimits(server: Server, { limits }: Pick<ListenerSettings, 'limits'>): void {
  server.maxHeadersCount = limits.max_headers
  server.maxConnections = limits.max_connections
}

const CLOSE = { Connection: 'close' }

/** RFC 9112, section 3.2: a request without Host is answered with 400; a tunnel is refused in any case. */
function lacksHost({ httpVersion }: IncomingMessage, { method, headers }: Exchange): boolean {
  return headers['host'] === undefined && httpVersion === '1.1' && method !== 'CONNECT'
}

function trackSockets(server: Server, sockets: Set<Socket>): void {
  const track = (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    // A reset between two requests has no other listener and would end the process.
    socket.on('error', () => undefined)
    keepAddress(socket)
  }
  server.on('connection', track)
  server.on('secureConnection', keepAddress)
}

/**
 * Node keeps the address from the first time it is asked for. Asked for with the request it may be gone: whoever resets
 * the connection behind a request could have it forwarded without an address.
 */
function keepAddress(socket: Socket): void {
  if (socket.remoteAddress === undefined) socket.destroy()
}

type Accept = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean) => void

function addHandlers(server: Server, accept: Accept, connectionOf: (socket: Socket) => Connection): void {
  server.on('request', (request, response) => accept(request, response, false))
  server.on('checkContinue', (request, response) => accept(request, response, true))
  // Other expectations are not ours to judge before routing: the header is dropped, the request goes on.
  server.on('checkExpectation', (request, response) => accept(request, response, false))
  server.on('clientError', (error, stream) => {
    const socket = stream as Socket
    answerMalformedRequest(error, socket, connectionOf(socket))
  })
  server.on('connect', (request) => {
    const response = tunnelResponse(request, connectionOf(request.socket))
    if (response !== undefined) accept(request, response, false)
  })
}

/** Node hands the bare socket of a CONNECT over; there is nothing to tunnel to, so it is answered like any other. */
function tunnelResponse(request: IncomingMessage, connection: Connection): ServerResponse | undefined {
  const { socket } = request
  // Node has taken its own listener away.
  socket.on('error', () => undefined)
  const response = new http.ServerResponse(request)
  try {
    response.assignSocket(socket)
  } catch {
    // The answer of an earlier request still holds the socket, and Node has given up reading it: without these lines
    // nobody would notice that the client leaves, and what is open would be worked on for nobody.
    const leave = () => {
      cancelOpen(connection)
      socket.destroy()
    }
    socket.resume().once('end', leave).once('close', leave)
    whenAnswered(connection.newest, () => endConnection(socket))
    return undefined
  }
  response.once('finish', () => endConnection(socket))
  return response
}

/** Opens a server; rejects with an `InitialisationError` that says what stands against it. */
export function open(server: NetServer, options: Address): Promise<number> {
  const { host, port, log } = options
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, options)))
    server.listen({ host, port }, () => {
      server.removeAllListeners('error')
      server.on('error', (error) => log.error('the listener failed', { error }))
      resolve((server.address() as AddressInfo).port)
    })
  })
}

function listenError({ code }: NodeJS.ErrnoException, options: Address): InitialisationError {
  const { host, port, setting = 'gateway.port' } = options
  if (code === 'EADDRINUSE')
    return new InitialisationError(`port ${port} on ${host} is taken: choose another with ${setting}`)
  if (code === 'EACCES')
    return new InitialisationError(`port ${port} on ${host} may not be used by this user: choose another`)
  return new InitialisationError(`cannot listen on ${host} port ${port} (${code ?? 'unknown error'})`)
}
