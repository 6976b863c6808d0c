import { parseOwnJson } from '@agentic-rest/profile'
import { adminBodies } from '@agentic-rest/profile/admin'
import { isSignedOut } from '../api/admin-api.ts'
import type { Summary } from '../api/bodies.ts'
import { type RequestRow, readRow } from '../api/feed-events.ts'

/** The state of the connection. `silent`: it is open, but nothing comes. `lost`: there is none. */
export type Connection = 'connecting' | 'open' | 'silent' | 'lost' | 'signedOut'

/** Takes the events of the feed. */
export interface ConnectionListener {
  onState(state: Connection): void
  /** Something has come: the gateway lives. */
  onHeard(): void
  /** A connection was made: events of the time before are missing. */
  onOpen(): void
  onRow(row: RequestRow): void
  onSummary(summary: Summary): void
}

const RETRY_MS = 2000
const MAX_RETRY_MS = 30_000
// A hidden tab closes its feed after this time.
const HIDDEN_MS = 30_000
// The gateway sends a summary every second. More than a second of delay is a gateway that hangs.
const SILENT_MS = 2200
const CHECK_MS = 200
// A check that is this late was suspended, with a sleeping machine or a hidden tab: nothing was listened to.
const SUSPENDED_MS = 900
// A new connection finds out whether only the old one is broken.
const RECONNECT_MS = 10_000

/** Keeps a connection to the feed open, as long as the page is visible. */
export function keepConnected(listener: ConnectionListener): void {
  let source: EventSource | undefined
  let closing: ReturnType<typeof setTimeout> | undefined
  let retrying: ReturnType<typeof setTimeout> | undefined
  let retryMs = RETRY_MS
  const silence = watchSilence({
    onSilent: () => listener.onState('silent'),
    onLongSilent() {
      source?.close()
      source = undefined
      open()
    },
  })
  function onHeard(): void {
    silence.heard()
    listener.onHeard()
  }
  function onOpen(): void {
    retryMs = RETRY_MS
    silence.start()
    listener.onHeard()
    listener.onOpen()
  }
  function open(): void {
    clearTimeout(closing)
    clearTimeout(retrying)
    if (source !== undefined) return
    silence.start()
    source = connect({ ...listener, onHeard, onOpen, onLost, onRefused })
  }
  function onLost(): void {
    silence.stop()
    listener.onState('lost')
  }
  function onRefused(): void {
    close()
    retrying = setTimeout(open, retryMs)
    // A refusal, by sign-out or too many consoles, lasts for a while.
    retryMs = Math.min(retryMs * 2, MAX_RETRY_MS)
    void isSignedOut().then((isOut) => isOut && listener.onState('signedOut'))
  }
  function close(): void {
    source?.close()
    source = undefined
    onLost()
  }
  document.addEventListener('visibilitychange', function followTheTab() {
    if (!document.hidden) return open()
    closing = setTimeout(close, HIDDEN_MS)
  })
  open()
}

interface ConnectionEvents extends ConnectionListener {
  onLost(): void
  onRefused(): void
}

function connect(events: ConnectionEvents): EventSource {
  const source = new EventSource('/api/feed')
  source.addEventListener('open', events.onOpen)
  source.addEventListener('request', ({ data }) => {
    events.onHeard()
    events.onRow(readRow(parseOwnJson(data)))
  })
  source.addEventListener('summary', ({ data }) => {
    events.onHeard()
    events.onSummary(adminBodies.Summary.read(parseOwnJson(data)))
  })
  source.addEventListener('error', function judge() {
    // A browser reconnects after a broken connection, but not after a refusal.
    if (source.readyState === EventSource.CLOSED) events.onRefused()
    else events.onLost()
  })
  return source
}

/** Measures the time since the last event. */
function watchSilence({ onSilent, onLongSilent }: { onSilent(): void; onLongSilent(): void }) {
  let timer: ReturnType<typeof setInterval> | undefined
  let heardAt = 0
  let checkedAt = 0
  let startedAt = 0
  function check(): void {
    const now = performance.now()
    if (now - checkedAt > SUSPENDED_MS) heardAt = now
    checkedAt = now
    if (now - heardAt < SILENT_MS) return
    onSilent()
    if (now - startedAt > RECONNECT_MS) onLongSilent()
  }
  return {
    start(): void {
      clearInterval(timer)
      // An attempt to connect must be answered in time too.
      heardAt = checkedAt = startedAt = performance.now()
      timer = setInterval(check, CHECK_MS)
    },
    heard(): void {
      heardAt = startedAt = performance.now()
    },
    stop: () => clearInterval(timer),
  }
}
