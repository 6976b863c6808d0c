import type { Trace } from '@agentic-rest/profile'
import type { RequestRecord } from './audit/request-record.ts'
import type { Log } from './log.ts'

/** One request on its way through the service. */
export interface Exchange {
  readonly request: Request
  readonly url: URL
  /** HEAD is answered as GET without a body. */
  readonly method: string
  readonly trace: Trace
  readonly log: Log
  readonly signal: AbortSignal
  /** Where approvals that inner agents want are given, by token; set by `call`. */
  readonly innerApprovals: Map<string, string>
  /** Set when an operation is found. */
  record: RequestRecord | undefined
}
