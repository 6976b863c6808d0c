import type { Writable } from 'node:stream'
import { styleText } from 'node:util'
import { readableLine, readObject } from './log-line.ts'
import { parts } from './parts.ts'

/** The terminal output of a running stack. */
export interface Terminal {
  /** Shows an event of a part. */
  event(part: string, message: string): void
  /** Shows that a part has ended by itself, and the request that was answered last: it may have been the reason. */
  failed(part: string, message: string): void
  /** Shows a log line of a part. Levels below warning need the verbose mode; a request has its own line. */
  logged(part: string, line: string): void
  /** Shows the record of a request to a gateway. */
  requested(part: string, record: unknown): void
}

type Style = Parameters<typeof styleText>[0]

const MAX_PENDING_BYTES = 1_048_576
const NAME_WIDTH = Math.max(...parts.map(({ name }) => name.length))

/** Writes one readable line per event, with colours on a terminal. */
export function createTerminal(stream: Writable, verbose: boolean): Terminal {
  const paint = (style: Style, text: string) => styleText(style, text, { stream })
  const write = (part: string, text: string) => {
    // Lines are dropped for a reader that stalls, because the buffer has no limit (F10). The records are in their files.
    if (stream.writableLength > MAX_PENDING_BYTES) return
    const time = new Date().toTimeString().slice(0, 8)
    stream.write(`${paint('dim', time)} ${paint('cyan', part.padEnd(NAME_WIDTH))} ${text}\n`)
  }
  let lastRequest: string | undefined
  const withLast = (text: string) =>
    lastRequest === undefined ? text : `${text} (last request ${printable(lastRequest)})`
  return {
    event: write,
    failed: (part, message) => write(part, withLast(message)),
    logged(part, line) {
      const entry = readObject(line)
      if (entry === undefined) write(part, line)
      else if (verbose || isShown(entry)) {
        const [first = '', ...places] = readableLine(line).split('\n')
        // A place in the code without a request is a puzzle.
        const isPuzzle = places.length > 0 && (entry['request_id'] ?? entry['requestId']) === undefined
        write(part, [isPuzzle ? withLast(first) : first, ...places].join('\n'))
      }
    },
    requested(part, record) {
      if (typeof record !== 'object' || record === null) return
      const fields = record as Fields
      if (typeof fields['request_id'] === 'string') lastRequest = shorten(fields['request_id'])
      const colour = fields['outcome'] === 'success' ? 'green' : 'yellow'
      write(part, `${printable(requestText(fields))} ${paint(colour, printable(outcomeOf(fields)))}`)
    },
  }
}

type Fields = Readonly<Record<string, unknown>>

const OPERATION_WIDTH = 24
const CALLER_WIDTH = 16
// Callers choose the length of a path.
const MAX_WIDTH = 120

function requestText({
  operation,
  resource_id: resource,
  actor_id: actor,
  tenant_id: tenant,
}: Fields): string {
  const what = [operation || 'no route', resource].filter((part) => part !== '').join(' ')
  const who = [actor || 'nobody', tenant].filter((part) => part !== '').join('@')
  return `${shorten(what).padEnd(OPERATION_WIDTH)} ${shorten(who).padEnd(CALLER_WIDTH)}`
}

function shorten(text: string): string {
  return text.length > MAX_WIDTH ? `${text.slice(0, MAX_WIDTH - 1)}…` : text
}

/** The outcome; for a refused, replaced or faulty answer also its status, code, rule, cause and the id to explain it by. */
function outcomeOf({ outcome, event_type: event, request_id: id, attributes }: Fields): string {
  const { outcome_type: type, status, code, rule, cause } = (attributes ?? {}) as Record<string, string>
  const isRejected = event === 'agentic.request.rejected'
  const word = type ?? (isRejected ? 'refused' : String(outcome))
  const reason = [code, rule, cause].filter((part) => part !== undefined)
  return reason.length === 0 ? word : `${word} ${status} ${reason.join(', ')} (request ${id})`
}

/** The reason of an answer is in the line of its request. */
function isShown({ level, code, request_id: requestId }: Fields): boolean {
  if (code !== undefined && requestId !== undefined) return false
  return level === 'warn' || level === 'error'
}

// A path or a token must not move the cursor or clear the screen.
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

function printable(text: string): string {
  return text.replace(CONTROLS, '?')
}
