/** What the process that makes streams is told. */
export type StreamOrder =
  /** Opens more streams at a port, until there are so many. */
  | {
      readonly type: 'open'
      readonly port: number
      readonly streams: number
      readonly token: string
      readonly stalled: boolean
    }
  /** Sends events on all of them for so long and measures how long they take. */
  | { readonly type: 'measure'; readonly seconds: number; readonly eventsPerSecond: number }
  /** Sends as much as it can to readers that do not read. */
  | { readonly type: 'flood'; readonly seconds: number }
  | { readonly type: 'close' }

/** What it says. */
export type StreamReport =
  | { readonly type: 'listening'; readonly port: number }
  | { readonly type: 'opened'; readonly streams: number }
  | { readonly type: 'measured'; readonly events: number; readonly p50Ms: number; readonly p99Ms: number }
  | { readonly type: 'flooded' }
  | { readonly type: 'closed' }
