import { type AnswerFollower, openConnection, type UpstreamConnection } from './connection.ts'
import { createKeptConnections } from './kept-connections.ts'
import type { Origin } from './open-socket.ts'
import type { WireRequest } from './request-bytes.ts'

/** A request that is on its way, or about to be. */
export interface Sending {
  readonly request: WireRequest
  readonly follower: AnswerFollower
  readonly isAfresh: boolean
  connection: UpstreamConnection | undefined
  isAborted: boolean
}

/** The connections to one origin. */
export interface Connections {
  /** How many are open. */
  readonly count: () => number
  /** Sends a request on an idle connection, or on a new one. */
  send(request: WireRequest, follower: AnswerFollower): Sending
  /** Sends it on a new one: to a request that was lost, another idle one may be as dead as the first. */
  sendAfresh(request: WireRequest, follower: AnswerFollower): Sending
  pause(sending: Sending): void
  resume(sending: Sending): void
  /** Ends a request at once, and its connection with it. It must not have ended before. */
  abort(sending: Sending, error: Error): void
  /** Ends every connection, whatever it does. */
  close(): void
}

/** Makes the connections to one origin; at most `limit` of them are open. */
export function createConnections(origin: Origin, host: string, limit: number): Connections {
  const kept = createKeptConnections(() => openConnection({ origin, host, ...kept.events }), limit)
  let due: Sending[] = []
  let isClosed = false

  /**
   * What idle connections have received meanwhile is still unread. Its turn comes before the next immediate, and ends
   * those that must not be used: otherwise a surplus response would be taken for the answer (F4).
   */
  function sendDue(): void {
    const sendings = due
    due = []
    for (const sending of sendings) if (!sending.isAborted) carry(sending)
  }

  function carry(sending: Sending): void {
    if (isClosed) sending.follower.failed(new Error('the gateway closes'), false)
    else carryOn(sending.isAfresh ? kept.open : kept.take, sending)
  }

  function start(request: WireRequest, follower: AnswerFollower, isAfresh: boolean): Sending {
    const sending = { request, follower, isAfresh, connection: undefined, isAborted: false }
    due.push(sending)
    if (due.length === 1) setImmediate(sendDue)
    return sending
  }

  return {
    count: kept.count,
    send: (request, follower) => start(request, follower, false),
    sendAfresh: (request, follower) => start(request, follower, true),
    pause: ({ connection }) => connection?.pause(),
    resume: ({ connection }) => connection?.resume(),
    abort(sending, error) {
      sending.isAborted = true
      if (sending.connection === undefined) sending.follower.failed(error, false)
      else sending.connection.destroy(error)
    },
    close() {
      isClosed = true
      kept.close()
    },
  }
}

/** Whatever is wrong with one request, those behind it get their turn. */
function carryOn(take: () => UpstreamConnection, sending: Sending): void {
  try {
    sending.connection = take()
    sending.connection.carry(sending.request, sending.follower)
  } catch (error) {
    if (sending.connection === undefined) sending.follower.failed(error as Error, false)
    else sending.connection.destroy(error as Error)
  }
}
