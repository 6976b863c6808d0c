import type { WrittenDecision } from '@agentic-rest/profile/approval'
import type { SqlClock } from '../sql-clock.ts'
import type { Store } from '../store.ts'
import type { Outbox } from './outbox.ts'
import type { ApprovalRow } from './row.ts'

/** The store of approvals and its settings. */
export interface ApprovalStore {
  readonly store: Store
  readonly clock: SqlClock
  readonly expirySeconds: number
  readonly leaseSeconds: number
  readonly maxOpenPerRequester: number
  /** Absent if nobody is notified. */
  readonly outbox?: Outbox | undefined
  readonly observe?: ApprovalObserver | undefined
}

/** A change of an approval, after its commit. */
export type ApprovalChange =
  | {
      readonly type: 'decided'
      readonly row: ApprovalRow
      readonly verdict: WrittenDecision['verdict']
      readonly waitedSeconds: number
    }
  | { readonly type: 'expired'; readonly row: ApprovalRow }

/** Gets the changes of approvals made by this process. */
export type ApprovalObserver = (change: ApprovalChange) => void
