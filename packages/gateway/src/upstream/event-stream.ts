import { type Outcome, type Trace, writeOutcome } from '@agentic-rest/profile'

const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d

/** Tracks the end of an event stream, so that the gateway can append one more event. */
export interface EventBoundary {
  chunk(bytes: Uint8Array): void
  /** The line ends that close an open line and an open event. */
  closing(): string
}

/** Makes the tracker of one stream; it keeps the last two bytes, with CR LF counted as one. */
export function createEventBoundary(): EventBoundary {
  let previous = NEWLINE
  let last = NEWLINE
  return {
    chunk(bytes) {
      for (const byte of bytes.subarray(-4)) {
        // CR and LF together are one line end.
        if (byte === NEWLINE && last === CARRIAGE_RETURN) last = NEWLINE
        else {
          previous = last
          last = byte
        }
      }
    },
    closing() {
      if (!isLineEnd(last)) return '\n\n'
      // A newline after a carriage return would only complete that line end.
      if (last === CARRIAGE_RETURN && !isLineEnd(previous)) return '\n\n'
      return isLineEnd(previous) ? '' : '\n'
    },
  }
}

function isLineEnd(byte: number): boolean {
  return byte === NEWLINE || byte === CARRIAGE_RETURN
}

/** The last frame of a broken stream: the outcome as an event of type `error`. */
export function lastFrame(outcome: Outcome, trace: Trace): string {
  return `event: error\ndata: ${writeOutcome(outcome, trace).body}\n\n`
}
