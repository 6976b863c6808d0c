import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import { malformedStatuses } from '@agentic-rest/profile'
import { InitialisationError } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import type { Log } from '../log.ts'
import { acceptRequest, createSpanIds } from './accept-request.ts'
import { type Connection, cancelOpen, createConnections, endConnection, whenAnswered } from './connection.ts'
import { DiscardedBodies } from './discarded-bodies.ts'
import type { ServerCertificate } from './key-pair.ts'
import { answerMalformedRequest, type MalformedRequest } from './malformed-request.ts'

/** Settings that can change while a listener is open. */
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

// An import would read every export, and two of them load all of Node's fetch: 26 ms at every start.
const http = process.getBuiltinModule('node:http')

/** The address of a server. */
export interface Address {
  readonly host: string
  readonly port: number
  /** The configuration key of the port, named when the port is taken; `gateway.port` by default. */
  readonly setting?: string
  readonly log: Log
}

/** Brings connections to a server that does not listen itself. */
export interface ConnectionSource {
  /** Resolves with the port when clients can connect. */
  open(server: NetServer): Promise<number>
  /** Resolves when no further connection comes. */
  close(): Promise<void>
}

/** Everything a listener is made with. */
export interface ListenerOptions extends ListenerSettings, Address {
  /** Shorter time-outs for tests of slow clients. */
  readonly timeouts?: { readonly headersMs: number; readonly requestMs: number }
  readonly handle: (exchange: Exchange) => void
  /** Takes the requests that were refused before they became an exchange. */
  readonly onMalformed?: (refused: MalformedRequest) => void
  /** Set when another process accepts the connections. */
  readonly connections?: ConnectionSource | undefined
}

/** The socket side of the gateway. */
export interface Listener {
  /** Resolves with the port once connections are accepted. */
  open(): Promise<number>
  readonly connections: number
  /** Number of connections accepted so far. */
  readonly accepted: number
  /**
   * Applies settings from the next request, connection or handshake on. TLS on or off, whether it asks clients for a
   * certificate and the largest head are fixed when Node makes the server.
   */
  apply(settings: ListenerSettings): void
  /** Every answer from now on ends its connection; new connections are accepted. */
  dropKeepAlive(): void
  /** Accepts no new connection; answers on those that are open end them. */
  drain(): void | Promise<void>
  /** Ends every connection, whatever it does. */
  close(): Promise<void>
}

/** Socket options of every client connection. */
export const socketOptions = {
  noDelay: true,
  // The kernel detects vanished peers: a stream without a deadline would hold its slot for ever.
  keepAlive: true,
  keepAliveInitialDelay: 60_000,
} as const

const TIMEOUTS = { headersMs: 10_000, requestMs: 60_000 }
const TLS = { minVersion: 'TLSv1.2' } as const
const KEEP_ALIVE_TIMEOUT_MS = 65_000
// By default Node looks for slow clients only every 30 s (F6).
const CONNECTIONS_CHECKING_INTERVAL_MS = 1000

/** Makes the listener for clients. */
export function createListener(options: ListenerOptions): Listener {
  const sockets = new Set<Socket>()
  let accepted = 0
  let draining = false
  let settings: ListenerSettings = options
  const server = makeServer(options)
  const connectionOf = createConnections()
  /** The TLS connections whose certificates the authorities of the present settings have judged. */
  let judged = new WeakSet<Connection>()
  const nextSpanId = createSpanIds()
  const discarded = new DiscardedBodies()
  const accept: Accept = (request, response, expectsContinue) => {
    const connection = connectionOf(request.socket)
    if (connection.closing) return
    connection.requestCount += 1
    const earlier = connection.newest
    const exchange = acceptRequest(request, response, {
      maxBodyBytes: settings.limits.max_body_bytes,
      corsOrigins: settings.corsOrigins,
      isDraining: () => draining || (settings.certificate?.clients !== undefined && !judged.has(connection)),
      connection,
      nextSpanId,
      discarded,
      expectsContinue,
    })
    if (lacksHost(request, exchange)) {
      connection.closing = true
      const { badRequest: status } = malformedStatuses
      options.onMalformed?.({ status, cause: 'MISSING_HOST', clientAddress: exchange.clientAddress })
      whenAnswered(earlier, () => void response.writeHead(status, CLOSE).end())
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
  server.on('secureConnection', (socket: Socket) => judged.add(connectionOf(socket)))
  addHandlers(server, { ...options, accept, connectionOf })
  return {
    open: () => options.connections?.open(server) ?? open(server, options),
    get connections() {
      return sockets.size
    },
    get accepted() {
      return accepted
    },
    apply(changed) {
      if (authoritiesOf(changed) !== authoritiesOf(settings)) judged = new WeakSet()
      settings = changed
      setLimits(server, changed)
      if (changed.certificate !== undefined && 'setSecureContext' in server)
        (server as TlsServer).setSecureContext(contextOptions(changed.certificate))
    },
    dropKeepAlive() {
      draining = true
    },
    drain() {
      draining = true
      if (options.connections !== undefined) return options.connections.close()
      // `close` of an HTTP server would also cut idle connections, and with them a request on its way (F5).
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
    // Judged by us: Node would answer by itself and still handle the requests pipelined behind.
    requireHostHeader: false,
    optimizeEmptyRequests: true,
    ...socketOptions,
    // An upgrade is ignored and the request answered as it is (RFC 9110, section 7.8).
    shouldUpgradeCallback: () => false,
  }
  const server = certificate
    ? createTlsServer({
        ...serverOptions,
        ...contextOptions(certificate),
        requestCert: certificate.clients !== undefined,
        rejectUnauthorized: certificate.clients?.required === true,
        // An unfinished handshake counts as a slow head; Node would wait for two minutes.
        handshakeTimeout: timeouts.headersMs,
        ALPNProtocols: ['http/1.1'],
      })
    : http.createServer(serverOptions)
  setLimits(server, { limits })
  return server
}

/** A reload makes a new context, whose new ticket keys end the sessions of clients that the old one trusted. */
function contextOptions({ cert, key, clients }: ServerCertificate) {
  return { cert, key, ...TLS, ...(clients && { ca: [...clients.ca] }) }
}

/** The authorities of clients' certificates. Connections of former ones end with their next answer. */
function authoritiesOf({ certificate }: ListenerSettings): string | undefined {
  return certificate?.clients?.ca.join('')
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
    // A reset between two requests has no other listener: it would end the process.
    socket.on('error', () => undefined)
    keepAddress(socket)
  }
  server.on('connection', track)
  server.on('secureConnection', keepAddress)
}

/**
 * Reads the address now, so that Node keeps it. With the request it could be gone: a client that resets the connection
 * behind its request would have it forwarded without an address.
 */
function keepAddress(socket: Socket): void {
  if (socket.remoteAddress === undefined) socket.destroy()
}

type Accept = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean) => void

interface Handlers extends Pick<ListenerOptions, 'onMalformed'> {
  readonly accept: Accept
  readonly connectionOf: (socket: Socket) => Connection
}

function addHandlers(server: Server, { accept, connectionOf, onMalformed }: Handlers): void {
  server.on('request', (request, response) => accept(request, response, false))
  server.on('checkContinue', (request, response) => accept(request, response, true))
  // Other expectations are not judged: the header is dropped and the request goes on.
  server.on('checkExpectation', (request, response) => accept(request, response, false))
  server.on('clientError', (error, stream) => {
    const socket = stream as Socket
    const refused = answerMalformedRequest(error, socket, connectionOf(socket))
    if (refused !== undefined) onMalformed?.(refused)
  })
  server.on('connect', (request) => {
    const response = tunnelResponse(request, connectionOf(request.socket))
    if (response !== undefined) accept(request, response, false)
  })
}

/** Makes the response for a CONNECT, whose bare socket Node hands over: it is refused like any other request. */
function tunnelResponse(request: IncomingMessage, connection: Connection): ServerResponse | undefined {
  const { socket } = request
  // Node has removed its own listener.
  socket.on('error', () => undefined)
  const response = new http.ServerResponse(request)
  try {
    response.assignSocket(socket)
  } catch {
    // An earlier answer still holds the socket, and Node has stopped reading it: without these lines a client that leaves
    // would go unnoticed, and its open requests would be handled for nobody.
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

/** Opens a server; rejects with an `InitialisationError` that names the reason. */
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
