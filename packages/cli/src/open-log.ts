import type { Writable } from 'node:stream'
import { createLog, type Log, type LogLevel } from '@agentic-rest/gateway'

const MAX_PENDING_BYTES = 1_048_576

/** Opens the log on stderr: readable lines on a terminal, otherwise JSON lines. */
export function openLog(
  stderr: Writable & { readonly isTTY?: boolean },
  level: LogLevel,
  pretty = stderr.isTTY === true,
): Log {
  return createLog({ level, pretty, write: boundedWriter(stderr) })
}

/** Drops lines for a reader that stalls: the buffer of a stream has no limit (F10). */
export function boundedWriter(stream: Writable): (line: string) => void {
  let dropped = 0
  return function writeLine(line) {
    if (stream.writableLength > MAX_PENDING_BYTES) {
      dropped += 1
      return
    }
    if (dropped > 0) stream.write(droppedLine(dropped))
    dropped = 0
    stream.write(line)
  }
}

function droppedLine(lines: number): string {
  const msg = 'log lines were dropped because the reader was too slow'
  return `${JSON.stringify({ time: new Date().toISOString(), level: 'warn', msg, lines })}\n`
}
