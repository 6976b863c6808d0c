import type { Writable } from 'node:stream'
import { styleText } from 'node:util'
import { readableLine, readObject } from './log-line.ts'
import { parts } from './parts.ts'

/** The terminal output of a running stack. */
export interface Terminal {
  /** Shows an event of a part. */
  event(part: string, message: string): void
  /** Shows a log line of a part. Levels below warning need the verbose mode. */
  logged(part: string, line: string): void
  /** Shows an audit record of a gateway. */
  requested(part: string, line: string): void
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
  return {
    event: write,
    logged(part, line) {
      const entry = readObject(line)
      if (entry === undefined) write(part, line)
      else if (verbose || entry['level'] === 'warn' || entry['level'] === 'error')
        write(part, readableLine(line))
    },
    requested(part, line) {
      const record = readObject(line)
      if (record === undefined) return
      const outcome = outcomeOf(record)
      write(
        part,
        `${requestText(record)} ${paint(record['outcome'] === 'success' ? 'green' : 'yellow', outcome)}`,
      )
    },
  }
}

type Fields = Readonly<Record<string, unknown>>

const OPERATION_WIDTH = 24
const CALLER_WIDTH = 16

function requestText({
  operation,
  resource_id: resource,
  actor_id: actor,
  tenant_id: tenant,
}: Fields): string {
  const what = [operation || 'no route', resource].filter((part) => part !== '').join(' ')
  const who = [actor || 'nobody', tenant].filter((part) => part !== '').join('@')
  return `${what.padEnd(OPERATION_WIDTH)} ${who.padEnd(CALLER_WIDTH)}`
}

function outcomeOf({ outcome, event_type: event, attributes }: Fields): string {
  const { outcome_type: type } = (attributes ?? {}) as { outcome_type?: string }
  if (type !== undefined) return type
  return event === 'agentic.request.rejected' ? 'refused' : String(outcome)
}
