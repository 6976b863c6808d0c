import { isSignedOut } from '../api/admin-api.ts'
import { type RequestRow, readRow, readSummary, type Summary } from '../api/feed-events.ts'
import { createStore, type Store } from '../shell/store.ts'

const MAX_ROWS = 500
const MAX_SUMMARIES = 180
// Updates are drawn four times a second, so that fifty rows a second do not slow the page down.
const DRAW_MS = 250
const RETRY_MS = 2000
const MAX_RETRY_MS = 30_000
// A hidden tab closes its feed after this time.
const HIDDEN_MS = 30_000

/** The state of the feed. */
export interface FeedState {
  /** `lost`: there is no connection. */
  readonly connection: 'connecting' | 'open' | 'lost' | 'signedOut'
  readonly paused: boolean
  /** Newest first, at most 500. */
  readonly rows: readonly RequestRow[]
  /** The number of requests since the table was paused. */
  readonly heldCount: number
  /** Oldest first, one a second, at most three minutes. */
  readonly summaries: readonly Summary[]
}

/** The live feed of requests. */
export interface Feed extends Pick<Store<FeedState>, 'get' | 'subscribe'> {
  /** Pauses the table. New requests are kept and shown later. */
  pause(paused: boolean): void
  clear(): void
}

/** Opens the feed and reconnects, as long as the page is visible. */
export function createFeed(): Feed {
  const store = createStore<FeedState>({
    connection: 'connecting',
    paused: false,
    rows: [],
    heldCount: 0,
    summaries: [],
  })
  const change = (part: Partial<FeedState>) => store.set({ ...store.get(), ...part })
  const waiting = createWaiting(() => {
    const { paused, rows, summaries } = store.get()
    const more = { summaries: [...summaries, ...waiting.takeSummaries()].slice(-MAX_SUMMARIES) }
    if (paused) return change({ ...more, heldCount: waiting.rowCount() })
    change({ ...more, rows: [...waiting.takeRows(), ...rows].slice(0, MAX_ROWS), heldCount: 0 })
  })
  keepOpen({
    onState: (connection) => change({ connection }),
    onRow: waiting.addRow,
    onSummary: waiting.addSummary,
  })
  return {
    get: store.get,
    subscribe: store.subscribe,
    pause(paused) {
      change({ paused })
      waiting.draw()
    },
    clear() {
      // Held requests were also received before the click.
      waiting.takeRows()
      change({ rows: [], heldCount: 0 })
    },
  }
}

/** Received events that are not drawn yet. */
function createWaiting(draw: () => void) {
  let rows: RequestRow[] = []
  let summaries: Summary[] = []
  let isPlanned = false
  function plan(): void {
    if (isPlanned) return
    isPlanned = true
    setTimeout(() => {
      isPlanned = false
      draw()
    }, DRAW_MS)
  }
  return {
    draw,
    rowCount: () => rows.length,
    addRow(row: RequestRow): void {
      rows.unshift(row)
      if (rows.length > MAX_ROWS) rows.length = MAX_ROWS
      plan()
    },
    addSummary(summary: Summary): void {
      summaries = [...summaries, summary].slice(-MAX_SUMMARIES)
      plan()
    },
    takeRows(): RequestRow[] {
      const taken = rows
      rows = []
      return taken
    },
    takeSummaries(): Summary[] {
      const taken = summaries
      summaries = []
      return taken
    },
  }
}

interface Listener {
  onState(state: FeedState['connection']): void
  onRow(row: RequestRow): void
  onSummary(summary: Summary): void
}

function keepOpen(listener: Listener): void {
  let source: EventSource | undefined
  let closing: ReturnType<typeof setTimeout> | undefined
  let retryMs = RETRY_MS
  function open(): void {
    clearTimeout(closing)
    if (source !== undefined) return
    source = connect(listener, async function retry() {
      close()
      setTimeout(open, retryMs)
      if (await isSignedOut()) listener.onState('signedOut')
      // A refusal, by sign-out or too many consoles, lasts for a while.
      retryMs = Math.min(retryMs * 2, MAX_RETRY_MS)
    })
    source.addEventListener('open', () => {
      retryMs = RETRY_MS
    })
  }
  function close(): void {
    source?.close()
    source = undefined
    listener.onState('lost')
  }
  document.addEventListener('visibilitychange', function followTheTab() {
    if (!document.hidden) return open()
    closing = setTimeout(close, HIDDEN_MS)
  })
  open()
}

function connect(listener: Listener, onEnd: () => void): EventSource {
  const source = new EventSource('/api/feed')
  source.addEventListener('open', () => listener.onState('open'))
  source.addEventListener('request', ({ data }) => listener.onRow(readRow(JSON.parse(data))))
  source.addEventListener('summary', ({ data }) => listener.onSummary(readSummary(JSON.parse(data))))
  source.addEventListener('error', function judge() {
    // A browser reconnects after a broken connection, but not after a refusal.
    if (source.readyState === EventSource.CLOSED) onEnd()
    else listener.onState('lost')
  })
  return source
}
