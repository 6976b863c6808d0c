import { type AnswerHandler, Connection, type ConnectionOwner, type Origin } from './connection.ts'
import type { WireRequest } from './request-writer.ts'

/** A request that is waiting for its connection or on it. */
export class Sending {
  readonly request: WireRequest
  readonly handler: AnswerHandler
  readonly needsNewConnection: boolean
  connection: Connection | undefined = undefined
  isAborted = false

  constructor(request: WireRequest, handler: AnswerHandler, needsNewConnection: boolean) {
    this.request = request
    this.handler = handler
    this.needsNewConnection = needsNewConnection
  }

  pause(): void {
    this.connection?.pause()
  }

  resume(): void {
    this.connection?.resume()
  }

  /** Ends the request at once, and its connection with it. The request must not have ended before. */
  abort(error: Error): void {
    this.isAborted = true
    if (this.connection === undefined) this.handler.onFailed(error, 'unsent')
    else this.connection.destroy(error)
  }
}

const SWEEP_INTERVAL_MS = 1000

/** The connections to one origin, at most `limit` of them. */
export class ConnectionPool implements ConnectionOwner {
  private readonly origin: Origin
  private readonly limit: number
  private readonly all = new Set<Connection>()
  /** Used as a stack: the connections at its bottom expire. */
  private readonly idle: Connection[] = []
  private readonly sweeper: NodeJS.Timeout
  private due: Sending[] = []
  private isClosed = false

  constructor(origin: Origin, limit: number) {
    this.origin = origin
    this.limit = limit
    this.sweeper = setInterval(() => this.closeExpired(), SWEEP_INTERVAL_MS)
    this.sweeper.unref()
  }

  /** The number of open connections. */
  get count(): number {
    return this.all.size
  }

  /** Sends a request on an idle connection, or on a new one. */
  send(request: WireRequest, handler: AnswerHandler): Sending {
    return this.schedule(new Sending(request, handler, false))
  }

  /** Sends a request on a new connection, as one that was lost: other idle ones may be closed as well. */
  sendAlone(request: WireRequest, handler: AnswerHandler): Sending {
    return this.schedule(new Sending(request, handler, true))
  }

  /** Closes every connection, busy or idle. */
  close(): void {
    this.isClosed = true
    clearInterval(this.sweeper)
    for (const connection of [...this.all]) connection.destroy(new Error('the gateway closes'))
  }

  onIdle(connection: Connection): void {
    this.idle.push(connection)
  }

  onClosed(connection: Connection): void {
    this.all.delete(connection)
    const index = this.idle.indexOf(connection)
    if (index !== -1) this.idle.splice(index, 1)
  }

  /**
   * Idle connections may have unread bytes. The event loop reads them before the next immediate and closes these
   * connections; a surplus response would otherwise be taken for the answer (F4).
   */
  private schedule(sending: Sending): Sending {
    this.due.push(sending)
    if (this.due.length === 1) setImmediate(this.sendDue)
    return sending
  }

  private readonly sendDue = (): void => {
    const sendings = this.due
    this.due = []
    for (const sending of sendings) if (!sending.isAborted) this.carry(sending)
  }

  private carry(sending: Sending): void {
    // A fault in one request must not stop the requests after it.
    try {
      if (this.isClosed) throw new Error('the gateway closes')
      sending.connection = (sending.needsNewConnection ? undefined : this.takeIdle()) ?? this.open()
      sending.connection.carry(sending.request, sending.handler)
    } catch (error) {
      if (sending.connection === undefined) sending.handler.onFailed(error as Error, 'unsent')
      else sending.connection.destroy(error as Error)
    }
  }

  private takeIdle(): Connection | undefined {
    for (let connection = this.idle.pop(); connection !== undefined; connection = this.idle.pop()) {
      if (connection.idleUntil > performance.now()) return connection
      connection.destroy()
    }
    return undefined
  }

  private open(): Connection {
    // Only a request that wants a new connection although some are idle can find the limit reached.
    if (this.all.size >= this.limit) this.idle[0]?.destroy()
    const connection = new Connection(this.origin, this)
    this.all.add(connection)
    return connection
  }

  private closeExpired(): void {
    const now = performance.now()
    for (const connection of this.idle.filter(({ idleUntil }) => idleUntil <= now)) connection.destroy()
  }
}
