import type { AuditEmitter } from '@agentic-rest/profile'

/** The part of a Node stream that is needed. */
export interface LineSink {
  readonly writableLength: number
  write(line: string, done: (error?: Error | null) => void): unknown
  on(event: 'error', listener: () => void): unknown
}

// F10: a stream whose reader stalls buffers without bound, so beyond this records are lost and said to be.
const MAX_WAITING_BYTES = 8 * 1024 * 1024

/** Writes one JSON line per record, for example to `process.stdout` or to a file. */
export function jsonLinesAudit(sink: LineSink): AuditEmitter {
  // Without a listener a broken pipe would end the process; the callback of the write reports it.
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

/** Hands every record to each of several emitters; those that are absent are left out. One that fails stops no other. */
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
