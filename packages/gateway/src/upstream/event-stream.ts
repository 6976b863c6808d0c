const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d

/** Tracks the end of an event stream, so that the gateway can append one more event. */
export class EventBoundary {
  /** The last two bytes of the stream; CR LF counts as one. */
  private previous = NEWLINE
  private last = NEWLINE

  chunk(bytes: Uint8Array): void {
    for (let at = Math.max(0, bytes.length - 4); at < bytes.length; at += 1) {
      const byte = bytes[at] as number
      if (byte === NEWLINE && this.last === CARRIAGE_RETURN) this.last = NEWLINE
      else {
        this.previous = this.last
        this.last = byte
      }
    }
  }

  /** The line ends that close an open line and an open event. */
  closing(): string {
    if (!isLineEnd(this.last)) return '\n\n'
    if (isLineEnd(this.previous)) return ''
    // A newline after a carriage return would only complete that line end.
    return this.last === CARRIAGE_RETURN ? '\n\n' : '\n'
  }
}

function isLineEnd(byte: number): boolean {
  return byte === NEWLINE || byte === CARRIAGE_RETURN
}
