import { type AnswerFollower, openConnection, type UpstreamConnection } from './connection.ts'
import { createKeptConnections } from './kept-connections.ts'
import type { Origin } from './open-socket.ts'
import type { WireRequest } from './request-bytes.ts'

/** A request that is on its way, or about to be. */
export interface Sending {
  pause(): void
  resume(): void
  /** Ends it at once, and its connection with it. */
  abort(error: Error): void
}

/** The connections to one origin. */
export interface Connections {
  /** How many are open. */
  readonly count: () => number
  /** Sends a request on an idle connection, or on a new one. */
  send(request: WireRequest, follower: AnswerFollower): Sending
  /** Sends it on a new one: to a request that was lost, another idle one may be as dead as the first. */
  sendAfresh(request: WireRequest, follower: AnswerFollower): Sending
  /** Ends every connection, whatever it does. */
  close(): void
}

/** A request that waits for its moment, or has had it. */
interface Due {
  readonly request: WireRequest
  readonly follower: AnswerFollower
  readonly take: () => UpstreamConnection
  connection: UpstreamConnection | undefined
  isAborted: boolean
}

/** Makes the connections to one origin; at most `limit` of them are open. */
export function createConnections(origin: Origin, host: string, limit: number): Connections {
  const kept = createKeptConnections(() => openConnection({ origin, host, ...kept.events }), limit)
  let due: Due[] = []
  let isClosed = false

  /**
   * What idle connections have received meanwhile is still unread. Its turn comes before the next immediate, and ends
   * those that must not be used: otherwise a surplus response would be taken for the answer (F4).
   */
  function sendDue(): void {
    const requests = due
    due = []
    for (const one of requests) if (!one.isAborted) carry(one)
  }

  function carry(one: Due): void {
    if (isClosed) one.follower.failed(new Error('the gateway closes'), false)
    else carryOn(one.take(), one)
  }

  function start(one: Due): Sending {
    due.push(one)
    if (due.length === 1) setImmediate(sendDue)
    return {
      pause: () => one.connection?.pause(),
      resume: () => one.connection?.resume(),
      abort(error) {
        one.isAborted = true
        if (one.connection === undefined) one.follower.failed(error, false)
        else one.connection.destroy(error)
      },
    }
  }

  return {
    count: kept.count,
    send: (request, follower) =>
      start({ request, follower, take: kept.take, connection: undefined, isAborted: false }),
    sendAfresh: (request, follower) =>
      start({ request, follower, take: kept.open, connection: undefined, isAborted: false }),
    close() {
      isClosed = true
      kept.close()
    },
  }
}

function carryOn(connection: UpstreamConnection, one: Due): void {
  one.connection = connection
  try {
    connection.carry(one.request, one.follower)
  } catch (error) {
    connection.destroy(error as Error)
  }
}
