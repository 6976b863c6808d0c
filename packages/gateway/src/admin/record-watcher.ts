import type { AuditEvent } from '@agentic-rest/profile'
import type { Watcher } from '../line/parts.ts'
import type { Log } from '../log.ts'
import { recordNow } from './recent-exchanges.ts'

/** Takes the record of a request. It must not wait; what it throws is logged and costs nothing else. */
export type RecordTaker = (record: AuditEvent) => void

/** Hands every record on, with status and times in its attributes; nothing where nobody takes them. */
export function createRecordWatcher(options: {
  readonly onRecord?: RecordTaker | undefined
  readonly log: Log
}): Watcher | undefined {
  const { onRecord, log } = options
  if (onRecord === undefined) return undefined
  return function handRecordOn(exchange) {
    try {
      onRecord(recordNow(exchange))
    } catch (error) {
      log.warn('a record was not taken', { request_id: exchange.trace.requestId, error })
    }
  }
}
