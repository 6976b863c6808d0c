import { type Outcome, type Trace, writeOutcome } from '@agentic-rest/profile'

const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d

/** Remembers how a stream of events ends, so that one more event can be put behind it. */
export interface EventBoundary {
  chunk(bytes: Uint8Array): void
  /** What ends the line and the event that the upstream left open. */
  closing(): string
}

/** Watches the chunks of a stream for its last two line ends. */
export function createEventBoundary(): EventBoundary {
  let previous = NEWLINE
  let last = NEWLINE
  return {
    chunk(bytes) {
      for (const byte of bytes.subarray(-4)) {
        // A carriage return and a newline are one line end.
        if (byte === NEWLINE && last === CARRIAGE_RETURN) last = NEWLINE
        else {
          previous = last
          last = byte
        }
      }
    },
    closing() {
      if (!isLineEnd(last)) return '\n\n'
      // A newline right behind a carriage return would only complete that one line end.
      if (last === CARRIAGE_RETURN && !isLineEnd(previous)) return '\n\n'
      return isLineEnd(previous) ? '' : '\n'
    },
  }
}

function isLineEnd(byte: number): boolean {
  return byte === NEWLINE || byte === CARRIAGE_RETURN
}

/** The last frame of a stream that did not end by itself: the outcome as an event of type `error`. */
export function lastFrame(outcome: Outcome, trace: Trace): string {
  return `event: error\ndata: ${writeOutcome(outcome, trace).body}\n\n`
}
