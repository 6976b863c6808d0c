import type { AuditEmitter } from '@agentic-rest/profile'
import { SealedLines, type SealOptions } from './sealed-lines.ts'

/** The required part of a Node stream. */
export interface LineSink {
  readonly writableLength: number
  write(line: string, done: (error?: Error | null) => void): unknown
  on(event: 'error', listener: () => void): unknown
}

// F10: a stream buffers without limit while its reader stalls. Records above this limit are dropped and logged.
const MAX_WAITING_BYTES = 8 * 1024 * 1024

/** An audit emitter with `close`, which sends the remaining records first. */
export interface ClosableAudit extends AuditEmitter {
  close(): Promise<void>
}

/** Writes one JSON line per record to a stream, for example to `process.stdout`. */
export function jsonLinesAudit(sink: LineSink): AuditEmitter
/** Writes one JSON line per record to a file. With `seal` the file is a sealed log. Close it after the service. */
export function jsonLinesAudit(
  file: string,
  options?: { readonly seal?: SealOptions | undefined },
): ClosableAudit
export function jsonLinesAudit(
  target: LineSink | string,
  options: { readonly seal?: SealOptions | undefined } = {},
): AuditEmitter {
  return typeof target === 'string' ? new SealedLines(target, options.seal) : linesTo(target)
}

function linesTo(sink: LineSink): AuditEmitter {
  // Without a listener a broken pipe would end the process. The callback of `write` reports the error.
  sink.on('error', () => undefined)
  return {
    emit(event) {
      if (sink.writableLength > MAX_WAITING_BYTES)
        throw new Error('the reader of the audit records has stalled')
      return new Promise((resolve, reject) => {
        sink.write(`${JSON.stringify(event)}\n`, (error) => (error ? reject(error) : resolve()))
      })
    },
  }
}

/** Passes every record to several emitters and skips absent ones. A failing emitter does not affect the others. */
export function teeAudit(...emitters: readonly (AuditEmitter | undefined)[]): AuditEmitter {
  const present = emitters.filter((emitter) => emitter !== undefined)
  return {
    async emit(event) {
      const emits = present.map(async (emitter) => emitter.emit(event))
      const settled = await Promise.allSettled(emits)
      const causes = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
      if (causes.length > 0) throw new AggregateError(causes, 'not every emitter took the record')
    },
  }
}
