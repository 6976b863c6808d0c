import type { Outcome, Trace } from '@agentic-rest/profile'
import type { Sql } from './store.ts'

/** Who asks for what: part of every key, so that nothing of one tenant is ever found by another. */
export interface Scope {
  readonly tenantId: string
  /** The id of the operation's definition. */
  readonly operation: string
  /** The validated subject that sent the request; approvals are bound to it. */
  readonly requester: string
}

/** An outcome as it is kept: without its trace, which is stamped anew when it is sent again. */
export interface StoredOutcome {
  readonly outcome: Outcome
  /** Headers that belong to it, for example `Location`. */
  readonly headers: Readonly<Record<string, string>>
}

/** What an idempotency key gives its request. */
export type Claim =
  | {
      readonly kind: 'claimed'
      /** Keeps the outcome in the transaction of the effect; throws when the claim was lost meanwhile. */
      complete(sql: Sql, stored: StoredOutcome): Promise<void>
      /** The request had no effect: the key is free again. */
      release(): Promise<void>
    }
  | { readonly kind: 'replay'; readonly stored: StoredOutcome }
  | { readonly kind: 'in_progress' }
  /** The key was used for another request. */
  | { readonly kind: 'mismatch' }

/** Idempotency keys: one effect per (tenant, operation, key), for 24 hours. */
export interface Idempotency {
  /** `fingerprint` is a digest of the request; it is compared with that of the request that succeeded. */
  claim(scope: Scope, key: string, fingerprint: string): Promise<Claim>
}

/** A request that is worked on in the background: everything needed to run it in another process. */
export interface Job {
  readonly scope: Scope
  readonly actor: string
  readonly roles: readonly string[]
  readonly trace: Trace
  /** The decoded input and path parameters, as JSON. */
  readonly input: unknown
  readonly params: Readonly<Record<string, string>>
  readonly idempotencyKey: string | undefined
  readonly approvalId: string | undefined
  /** Who gave that approval. */
  readonly approvedBy?: string | undefined
}

/** The states of a background operation; the last three never change again. */
export type OperationState = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** What polling answers. */
export interface OperationStatus {
  readonly operationId: string
  readonly status: OperationState
  readonly createdAt: string
  readonly updatedAt: string
  /** The last progress that the run reported. */
  readonly progress?: unknown
  readonly outcome?: Outcome
}

/** What cancelling an operation gives: done, too late, or there is no such operation. */
export type Cancellation = 'cancelled' | 'final' | 'unknown'

/** An operation that ends, or waits for input, without an effect. */
export interface ReleasedOperation {
  readonly operationId: string
  readonly tenant: string
  readonly params: Readonly<Record<string, string>>
  readonly status: Exclude<OperationState, 'working' | 'completed'>
}

/** Gives back what was reserved when an operation was accepted, in the transaction that ends it. */
export type Releaser = (released: ReleasedOperation, sql: Sql) => void | Promise<void>
/** The releasers of a service, by the id of the definition. */
export type Releasers = ReadonlyMap<string, Releaser>

/** What a run in the background can do. */
export interface JobContext {
  readonly operationId: string
  /** Aborted when the operation is cancelled, its lease is lost or the service closes. */
  readonly signal: AbortSignal
  /** Says how far the work is. */
  progress(value: unknown): Promise<void>
  /** Commits an effect together with the result; throws when another worker has taken over. */
  finish(work: (sql: Sql) => Promise<Outcome>): Promise<Outcome>
}

/** Runs jobs of one operation. Its outcome is final; when it throws, the job is run again after a while, a few times. */
export type JobRunner = (job: Job, context: JobContext) => Promise<Outcome>

/** Background operations: none is lost, none ends with two results. */
export interface Operations {
  /** Keeps a job, in the transaction that answers 202. */
  accept(sql: Sql, job: Job): Promise<{ readonly operationId: string }>
  status(tenantId: string, operationId: string): Promise<OperationStatus | undefined>
  /** In a transaction of its own, unless it is given one. */
  cancel(tenantId: string, operationId: string, sql?: Sql): Promise<Cancellation>
  /** Starts the workers of this process. */
  start(runners: ReadonlyMap<string, JobRunner>): void
  /** Stops taking work, lets runs end or gives their leases back. */
  close(): Promise<void>
}

/** An approval as people see it. */
export interface ApprovalView {
  readonly approvalId: string
  readonly state: 'pending' | 'approved' | 'rejected' | 'redeemed' | 'expired'
  readonly operation: string
  readonly requester: string
  /** The person for whom the requester asked, where it is an agent. */
  readonly requestedFor?: string
  readonly message: string
  readonly approver: { readonly name: string }
  readonly role: string
  readonly createdAt: string
  readonly expiresAt: string
  readonly decidedBy?: string
}

/** What the runtime needs to know to ask for an approval. */
interface ApprovalRequest {
  readonly message: string
  readonly approver: { readonly name: string }
  /** The role that somebody else must have to decide. */
  readonly role: string
  /** Somebody beside the requester who must not decide. */
  readonly requestedFor?: string | undefined
}

/** What presenting a token gives. */
export type ApprovalCheck =
  | {
      readonly kind: 'approved'
      readonly approvalId: string
      readonly decidedBy: string
      /** Takes the approval before anything is done with it; `undefined` when somebody else has it or has used it. */
      reserve(): Promise<Reservation | undefined>
    }
  | { readonly kind: 'pending'; readonly approvalId: string }
  /** It is for this request, but of another role than the one that has to decide it now. */
  | { readonly kind: 'other_role' }
  | { readonly kind: 'invalid' }

/** An approval that nobody else can use, until its lease ends or somebody has a higher fence. */
export interface Reservation {
  /** Uses the approval up, in the transaction of the effect; throws when it was taken over or has expired. */
  redeem(sql: Sql): Promise<void>
  /** Hands it to an operation in the background, in the transaction that accepts it; throws as `redeem` does. */
  hand(sql: Sql, operationId: string): Promise<void>
  /** The request had no effect: the approval can be used again. */
  release(): Promise<void>
}

/** A token, and the role that has to have approved. */
export interface PresentedToken {
  readonly token: string
  readonly role: string
}

/** Approvals: bound to tenant, operation, requester, role and the exact request; single use; expiring. */
export interface Approvals {
  /** Asks for an approval, or finds the one that is already asked for by the same request. */
  request(
    scope: Scope,
    digest: string,
    wanted: ApprovalRequest,
  ): Promise<{ approvalId: string; token: string }>
  check(scope: Scope, digest: string, presented: PresentedToken): Promise<ApprovalCheck>
  view(tenantId: string, approvalId: string): Promise<ApprovalView | undefined>
  decide(
    tenantId: string,
    approvalId: string,
    decision: { readonly approve: boolean; readonly by: string; readonly roles: readonly string[] },
  ): Promise<'decided' | 'unknown' | 'own_request' | 'role_missing' | 'not_pending'>
}

/** The clock and identity of a runtime, replaced in tests. */
export interface RuntimeOptions {
  readonly now?: () => Date
  readonly leaseSeconds?: number
  readonly workers?: number
}
