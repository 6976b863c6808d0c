import { adminApi } from '../api/admin-api.ts'
import type { Summary } from '../api/bodies.ts'
import type { RequestRow } from '../api/feed-events.ts'
import { knownTime } from '../shell/format.ts'
import { createStore, type Store } from '../shell/store.ts'
import { messageOf } from '../shell/use-load.ts'
import { type Connection, keepConnected } from './connection.ts'
import { addRows, MAX_ROWS } from './row-list.ts'
import { fillPast } from './series.ts'

const MAX_SUMMARIES = 180
// Updates are drawn four times a second, so that fifty rows a second do not slow the page down.
const DRAW_MS = 250

/** The state of the feed. */
export interface FeedState {
  readonly connection: Connection
  /** When the gateway was last heard of, or the page was opened. */
  readonly heardMs: number
  readonly paused: boolean
  /** Newest first, at most 5,000. */
  readonly rows: readonly RequestRow[]
  /** Whether `rows` has the requests that the gateway remembers. */
  readonly remembered: 'reading' | 'read' | 'failed'
  /** Why the remembered requests could not be read. */
  readonly fault: string
  /** The number of requests since the table was paused. */
  readonly heldCount: number
  /** The number of requests that the feed only counted, since the remembered ones were read. */
  readonly unlisted: number
  /** Oldest first, one a second, at most three minutes. */
  readonly summaries: readonly Summary[]
}

/** The live feed of requests. */
export interface Feed extends Pick<Store<FeedState>, 'get' | 'subscribe'> {
  /** Pauses the table. New requests are kept and shown later. */
  pause(paused: boolean): void
  clear(): void
  /** Reads the remembered requests again. */
  refresh(): void
}

/** Opens the feed, reads the remembered requests, and does both again after a broken connection. */
export function createFeed(): Feed {
  const store = createStore<FeedState>({
    connection: 'connecting',
    heardMs: Date.now(),
    paused: false,
    rows: [],
    remembered: 'reading',
    fault: '',
    heldCount: 0,
    unlisted: 0,
    summaries: [],
  })
  const change = (part: Partial<FeedState>) => store.set({ ...store.get(), ...part })
  let clearedMs = -1
  let hasNewPast = false
  const waiting = createWaiting(() => {
    const { paused, rows, summaries, unlisted } = store.get()
    const fresh = waiting.takeSummaries()
    const more = {
      heardMs: waiting.heardMs(),
      summaries: [...summaries, ...fresh].slice(-MAX_SUMMARIES),
      unlisted: unlisted + fresh.reduce((sum, { requests, shown }) => sum + Math.max(0, requests - shown), 0),
    }
    if (paused) return change({ ...more, heldCount: addRows(rows, waiting.rows()).length - rows.length })
    const all = addRows(rows, waiting.takeRows())
    change({ ...more, rows: all, heldCount: 0 })
    // The first summary after the reading says what time it is at the gateway.
    if (!hasNewPast || fresh.length === 0) return
    hasNewPast = false
    change({ summaries: fillPast(more.summaries, all) })
  })
  const onState = (connection: Connection) => {
    if (connection !== store.get().connection) change({ connection, heardMs: waiting.heardMs() })
  }
  const refresh = createReading({
    onStart: () => change({ remembered: 'reading', fault: '' }),
    onRows(rows) {
      waiting.addRows(rows.filter(({ endedMs }) => endedMs > clearedMs))
      waiting.draw()
    },
    onEnd() {
      hasNewPast = true
      change({ remembered: 'read', unlisted: 0 })
    },
    onFault: (fault) => change({ remembered: 'failed', fault }),
  })
  keepConnected({
    onState,
    onHeard() {
      waiting.hear()
      onState('open')
    },
    onOpen: refresh,
    onRow: (row) => waiting.addRows([row]),
    onSummary: waiting.addSummary,
  })
  return {
    get: store.get,
    subscribe: store.subscribe,
    refresh,
    pause(paused) {
      change({ paused })
      waiting.draw()
    },
    clear() {
      // Held requests were also received before the click.
      const rows = addRows(store.get().rows, waiting.takeRows())
      clearedMs = rows[0]?.endedMs ?? clearedMs
      change({ rows: [], heldCount: 0, unlisted: 0 })
    },
  }
}

interface Reading {
  onStart(): void
  onRows(rows: readonly RequestRow[]): void
  onEnd(): void
  onFault(message: string): void
}

/** Reads the remembered requests page by page. A later call replaces an unfinished one. */
function createReading({ onStart, onRows, onEnd, onFault }: Reading): () => void {
  let turn = 0
  return function readAll() {
    turn += 1
    const own = turn
    onStart()
    readPages((rows) => own === turn && onRows(rows)).then(
      () => own === turn && onEnd(),
      (error: unknown) => own === turn && onFault(messageOf(error)),
    )
  }
}

async function readPages(onRows: (rows: readonly RequestRow[]) => unknown): Promise<void> {
  let page = await adminApi.requests(undefined)
  let count = page.rows.length
  onRows(page.rows)
  while (page.next !== null && count < MAX_ROWS) {
    page = await adminApi.requests(page.next)
    count += page.rows.length
    onRows(page.rows)
  }
}

/** Received events that are not drawn yet. */
function createWaiting(draw: () => void) {
  let rows: readonly RequestRow[] = []
  let summaries: Summary[] = []
  let heardMs = Date.now()
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
    rows: () => rows,
    heardMs: () => heardMs,
    hear(): void {
      heardMs = Date.now()
    },
    addRows(added: readonly RequestRow[]): void {
      rows = added.length === 1 ? [...added, ...rows].slice(0, MAX_ROWS) : addRows(rows, added)
      plan()
    },
    addSummary(summary: Summary): void {
      // A summary without a time is of now: a chart must not begin in 1970.
      const at = knownTime(summary.at) === undefined ? new Date().toISOString() : summary.at
      summaries = [...summaries, { ...summary, at }].slice(-MAX_SUMMARIES)
      plan()
    },
    takeRows(): readonly RequestRow[] {
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
