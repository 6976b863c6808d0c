import type { ConnectionEvents, UpstreamConnection } from './connection.ts'

/** Connections from their opening to their end, and which of them are idle. */
export interface KeptConnections {
  /** How many are open. */
  readonly count: () => number
  /** What connections tell. */
  readonly events: ConnectionEvents
  /** An idle one, or a new one. */
  take(): UpstreamConnection
  /** A new one. */
  open(): UpstreamConnection
  /** Ends all of them. */
  close(): void
}

const SWEEP_INTERVAL_MS = 1000

/** Keeps at most `limit` connections. */
export function createKeptConnections(make: () => UpstreamConnection, limit: number): KeptConnections {
  const all = new Set<UpstreamConnection>()
  // The last one that came back goes out first, so that those that are not needed grow old.
  const idle: UpstreamConnection[] = []
  const sweeper = setInterval(sweep, SWEEP_INTERVAL_MS)
  sweeper.unref()

  function sweep(): void {
    const now = performance.now()
    for (const connection of idle.filter((one) => one.idleUntil() <= now)) connection.destroy()
  }

  function open(): UpstreamConnection {
    // Only whoever wants a new one, though some are idle, can find the limit reached.
    if (all.size >= limit) idle[0]?.destroy()
    const connection = make()
    all.add(connection)
    return connection
  }

  function takeIdle(): UpstreamConnection | undefined {
    const connection = idle.pop()
    if (connection === undefined || connection.idleUntil() > performance.now()) return connection
    connection.destroy()
    return takeIdle()
  }

  return {
    count: () => all.size,
    events: {
      onIdle: (connection) => void idle.push(connection),
      onClosed(connection) {
        all.delete(connection)
        const index = idle.indexOf(connection)
        if (index !== -1) idle.splice(index, 1)
      },
    },
    take: () => takeIdle() ?? open(),
    open,
    close() {
      clearInterval(sweeper)
      for (const connection of [...all]) connection.destroy(new Error('the gateway closes'))
    },
  }
}
