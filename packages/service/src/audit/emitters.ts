import type { AuditEmitter } from '@agentic-rest/profile'

/** The required part of a Node stream. */
export interface LineSink {
  readonly writableLength: number
  write(line: string, done: (error?: Error | null) => void): unknown
  on(event: 'error', listener: () => void): unknown
}

// F10: a stream buffers without limit while its reader stalls. Records above this limit are dropped and logged.
const MAX_WAITING_BYTES = 8 * 1024 * 1024

/** Writes one JSON line per record, for example to `process.stdout` or to a file. */
export function jsonLinesAudit(sink: LineSink): AuditEmitter {
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
