import { constants } from 'node:crypto'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import type { Server as TlsServer } from 'node:tls'
import { DiscardedBodies, HttpDate, loadTls } from '@agentic-rest/http1'
import { InitialisationError } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import type { Log } from '../log.ts'
import { loadHttp2 } from '../node-on-demand.ts'
import { type AcceptOptions, acceptRequest, acceptStream, createSpanIds } from './accept-request.ts'
import type { ServerCertificate } from './key-pair.ts'
import type { MalformedRequest } from './malformed-request.ts'
import { OpenConnections } from './open-connections.ts'

/** Settings that can change while a listener is open. */
export interface ListenerSettings {
  readonly limits: {
    readonly max_body_bytes: number
    readonly max_header_bytes: number
    readonly max_headers: number
    readonly max_connections: number
    readonly max_streams_per_connection: number
  }
  readonly corsOrigins: readonly string[] | undefined
  readonly certificate: ServerCertificate | undefined
}

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
  open(server: Server): Promise<number>
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
  /** Number of connections whose first request has not come yet. */
  readonly silent: number
  /** Number of idle connections that were promised to stay open and may carry one more request. */
  readonly promised: number
  /**
   * Applies settings from the next request, connection or handshake on. TLS and HTTP/2 on or off, whether it asks
   * clients for a certificate and the largest head are fixed when the listener is made.
   */
  apply(settings: ListenerSettings): void
  /** Every answer from now on ends its connection; new connections are accepted. */
  dropKeepAlive(): void
  /**
   * Accepts no new connection; answers on those that are open end them. Until a time by `performance.now()`, connections
   * that were promised to stay open may carry one more request.
   */
  drain(promisesUntil: number): void | Promise<void>
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
/** A new handshake on an open connection costs the gateway far more than its client; no HTTP client needs one. */
const TLS = { minVersion: 'TLSv1.2', secureOptions: constants.SSL_OP_NO_RENEGOTIATION } as const

/** Makes the listener for clients. */
export function createListener(options: ListenerOptions): Listener {
  /** The connections whose certificates other authorities have judged than those of the present settings. */
  let outdated = new WeakSet<object>()
  let draining = false
  let promisesEndAt = 0
  let settings: ListenerSettings = options
  const server = makeServer(options)
  const nextSpanId = createSpanIds()
  const date = new HttpDate()
  const isOutdated = (connection: object) =>
    settings.certificate?.clients !== undefined && outdated.has(connection)
  const acceptOptions = (): AcceptOptions => ({
    maxBodyBytes: settings.limits.max_body_bytes,
    corsOrigins: settings.corsOrigins,
    nextSpanId,
  })
  const open = new OpenConnections({
    limits: presentLimits(options.limits.max_header_bytes, () => settings.limits),
    timeouts: options.timeouts ?? TIMEOUTS,
    discarded: new DiscardedBodies(),
    date: () => date.now(),
    accept: (arrived) => acceptRequest(arrived, acceptOptions()),
    acceptStream: (arrived) => acceptStream(arrived, { ...acceptOptions(), date: () => date.now() }),
    handle: options.handle,
    refused: ({ peer }, { status, code }) =>
      options.onMalformed?.({ status, cause: code, clientAddress: peer.clientAddress }),
    isDraining: (connection) => draining || isOutdated(connection),
    isOutdated,
    keepsPromises: () => performance.now() < promisesEndAt,
  })
  // The first client with HTTP/2 does not wait for it.
  if (options.certificate?.http2) loadHttp2()
  open.serve(server, options.certificate !== undefined)
  return {
    open: () => options.connections?.open(server) ?? openServer(server, options),
    get connections() {
      return open.sockets.size
    },
    get accepted() {
      return open.accepted
    },
    get silent() {
      return open.silent
    },
    get promised() {
      return open.promised
    },
    apply(changed) {
      if (authoritiesOf(changed) !== authoritiesOf(settings)) outdated = new WeakSet(open.connections)
      settings = changed
      server.maxConnections = changed.limits.max_connections
      if (changed.certificate !== undefined && 'setSecureContext' in server)
        (server as TlsServer).setSecureContext(contextOptions(changed.certificate))
    },
    dropKeepAlive() {
      draining = true
      open.drain()
    },
    drain(promisesUntil) {
      draining = true
      promisesEndAt = promisesUntil
      // First, before a connection comes that nobody would accept.
      const closed = options.connections === undefined ? void server.close() : options.connections.close()
      open.drain()
      return closed
    },
    async close() {
      server.close()
      open.close()
    },
  }
}

/** The largest head is fixed; the other limits are those of the present settings. */
function presentLimits(maxHeadBytes: number, present: () => ListenerSettings['limits']) {
  return {
    maxHeadBytes,
    get maxHeaders() {
      return present().max_headers
    },
    get maxStreams() {
      return present().max_streams_per_connection
    },
  }
}

function makeServer({ limits, certificate, timeouts = TIMEOUTS }: ListenerOptions): Server {
  const server = certificate
    ? loadTls().createServer({
        ...socketOptions,
        ...contextOptions(certificate),
        allowHalfOpen: true,
        requestCert: certificate.clients !== undefined,
        rejectUnauthorized: certificate.clients?.required === true,
        // An unfinished handshake counts as a slow head; Node would wait for two minutes.
        handshakeTimeout: timeouts.headersMs,
        ALPNProtocols: certificate.http2 ? ['h2', 'http/1.1'] : ['http/1.1'],
      })
    : createTcpServer({ ...socketOptions, allowHalfOpen: true, pauseOnConnect: true })
  server.maxConnections = limits.max_connections
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

/** Opens a server; rejects with an `InitialisationError` that names the reason. */
export function openServer(server: Server, options: Address): Promise<number> {
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
