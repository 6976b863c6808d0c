import type { Outcome, Trace } from '@agentic-rest/profile'
import type { ApprovalState, KeptRequest, WrittenApproval } from '@agentic-rest/profile/approval'
import type { Principal } from './principal.ts'
import type { Sql } from './store.ts'

/** Tenant, operation and requester. Every key contains it, so that tenants cannot see each other's data. */
export interface Scope {
  readonly tenantId: string
  /** The id of the operation definition. */
  readonly operation: string
  /** The validated subject of the request; keys, approvals and operations are bound to it and its issuer. */
  readonly requester: string
  /** The issuer of the requester; absent if the gateway names none, and in jobs of older versions. */
  readonly issuer?: string | undefined
}

/** A stored outcome, without its trace. A replay gets a new trace. */
export interface StoredOutcome {
  readonly outcome: Outcome
  /** Its headers, for example `Location`. */
  readonly headers: Readonly<Record<string, string>>
}

/** The result of claiming an idempotency key. */
export type Claim =
  | {
      readonly kind: 'claimed'
      /** Stores the outcome in the transaction of the effect; throws if the claim was lost. */
      complete(sql: Sql, stored: StoredOutcome): Promise<void>
      /** Frees the key after a request without an effect. */
      release(): Promise<void>
    }
  | { readonly kind: 'replay'; readonly stored: StoredOutcome }
  | { readonly kind: 'in_progress' }
  /** The key was used for another request. */
  | { readonly kind: 'mismatch' }

/** Idempotency keys: one effect per (tenant, operation, key), for 24 hours. */
export interface Idempotency {
  /** `fingerprint` is the digest of the request; it is compared with the digest of the successful request. */
  claim(scope: Scope, key: string, fingerprint: string): Promise<Claim>
}

/** A background request, with everything needed to run it in another process. */
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
  /** The calls that led to the requester. */
  readonly via?: readonly string[] | undefined
  /** The person on whose behalf the requester, an agent, asks. */
  readonly requestedFor?: Principal | undefined
  /** The subject that gave the approval, and its issuer. */
  readonly approvedBy?: string | undefined
  readonly approvedByIssuer?: string | undefined
}

/** The states of a background operation; the last three are final. */
export type OperationState = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** The status of a background operation. */
export interface OperationStatus {
  readonly operationId: string
  readonly status: OperationState
  readonly createdAt: string
  readonly updatedAt: string
  /** The last reported progress. */
  readonly progress?: unknown
  readonly outcome?: Outcome
}

/** The result of a cancellation: done, too late, or no such operation. */
export type Cancellation = 'cancelled' | 'final' | 'unknown'

/** An operation that ended, or waits for input, without an effect. */
export interface ReleasedOperation {
  readonly operationId: string
  readonly tenant: string
  readonly params: Readonly<Record<string, string>>
  readonly status: Exclude<OperationState, 'working' | 'completed'>
}

/** Releases the reservations of an operation, in the transaction that ends it. */
export type Releaser = (released: ReleasedOperation, sql: Sql) => void | Promise<void>
/** The releasers of a service, by operation id. */
export type Releasers = ReadonlyMap<string, Releaser>

/** The context of a background run. */
export interface JobContext {
  readonly operationId: string
  /** Aborted when the operation is cancelled, its lease is lost or the service closes. */
  readonly signal: AbortSignal
  /** Reports progress. */
  progress(value: unknown): Promise<void>
  /** Commits an effect together with the result; throws if another worker has taken over. */
  finish(work: (sql: Sql) => Promise<Outcome>): Promise<Outcome>
}

/** Runs the jobs of one operation. An outcome is final; after an error the job is retried some times. */
export type JobRunner = (job: Job, context: JobContext) => Promise<Outcome>

/** Background operations. None is lost, none gets two results. */
export interface Operations {
  /** Stores a job, in the transaction of its 202; throws `OpenLimitError` if the tenant has too many open ones. */
  accept(sql: Sql, job: Job): Promise<{ readonly operationId: string }>
  /** Checks the limit of open operations exactly, last in the transaction of `accept`; throws `OpenLimitError`. */
  assertWithinLimit(sql: Sql, tenantId: string): Promise<void>
  /** With an `owner`, only if it is the requester or the person behind it. */
  status(tenantId: string, operationId: string, owner?: Principal): Promise<OperationStatus | undefined>
  /** Uses its own transaction unless `sql` is given. */
  cancel(tenantId: string, operationId: string, sql?: Sql): Promise<Cancellation>
  /** Starts the workers of this process. */
  start(runners: ReadonlyMap<string, JobRunner>): void
  /** Takes no more work; waits for runs or gives their leases back. */
  close(): Promise<void>
}

/** A request for an approval. */
export interface ApprovalRequest {
  readonly message: string
  readonly approver: { readonly name: string }
  /** The role required to decide; empty if the requester confirms. */
  readonly role: string
  /** The requester, or the person behind it, confirms. Without it, neither of them may decide. */
  readonly byRequester?: boolean | undefined
  /** The number of deciders that have to approve; 1 by default. */
  readonly quorum?: number | undefined
  /** Overrides the time to decide and use the approval. */
  readonly expirySeconds?: number | undefined
  /** A person who must not decide, besides the requester. */
  readonly requestedFor?: string | undefined
  readonly requestedForIssuer?: string | undefined
  readonly request?: KeptRequest | undefined
  readonly correlationId?: string | undefined
  readonly via?: readonly string[] | undefined
}

/** The result of checking a token. */
export type ApprovalCheck =
  | {
      readonly kind: 'approved'
      readonly approvalId: string
      /** The digest that the approval shows. */
      readonly shownDigest: string
      readonly decidedBy: string
      readonly decidedByIssuer: string | undefined
      /** Reserves the approval before its use; `undefined` if it is reserved or used already. */
      reserve(): Promise<Reservation | undefined>
    }
  | { readonly kind: 'pending'; readonly approvalId: string }
  /** The token matches the request, but another role or more deciders have to decide it now. */
  | { readonly kind: 'other_role' }
  | { readonly kind: 'invalid' }

/** An exclusive reservation of an approval, until its lease ends or a higher fence exists. */
export interface Reservation {
  /** Redeems the approval, in the transaction of the effect; throws if it was taken over or has expired. */
  redeem(sql: Sql): Promise<void>
  /** Hands the approval to a background operation, in the transaction that accepts it; throws as `redeem` does. */
  hand(sql: Sql, operationId: string): Promise<void>
  /** Frees the approval after a request without an effect. */
  release(): Promise<void>
}

/** A token, and the role and the number of deciders required for the approval. */
export interface PresentedToken {
  readonly token: string
  readonly role: string
  /** 1 by default. */
  readonly quorum?: number | undefined
}

/** A caller with its roles. */
export interface Viewer extends Principal {
  readonly roles: readonly string[]
}

/** A decision, the subject that makes it, and its issuer. */
export interface Decision {
  readonly approve: boolean
  readonly by: string
  readonly issuer?: string | undefined
  readonly roles: readonly string[]
  /** The digest of the request that the decider has seen. */
  readonly digest?: string | undefined
  readonly comment?: string | undefined
}

/** The result of a decision. All but the first leave the approval unchanged. */
export type DecisionResult =
  | 'decided'
  | 'unknown'
  | 'own_request'
  /** Only the requester, or the person behind it, confirms this. */
  | 'not_requester'
  | 'role_missing'
  /** The approval is for another digest. */
  | 'changed'
  /** The same decider has decided before. */
  | 'decided_already'
  | 'expired'
  | 'not_pending'

/** The result of a withdrawal. All but the first leave the approval unchanged. */
export type Withdrawal = 'withdrawn' | 'unknown' | 'not_requester' | 'in_use' | 'expired' | 'not_pending'

/** The approvals to list. */
export interface ApprovalQuery {
  readonly state?: ApprovalState | undefined
  /** The `next` of the page before. */
  readonly cursor?: string | undefined
  readonly limit: number
}

/** A page of approvals, the newest first. */
export interface ApprovalPage {
  readonly approvals: readonly WrittenApproval[]
  /** The cursor of the next page; absent on the last one. */
  readonly next?: string
}

/** Approvals. Each is bound to tenant, operation, requester, role and exact request, is used once, and expires. */
export interface Approvals {
  /** Creates an approval, or finds the open one of the same request. Throws a `TooManyApprovalsError`. */
  request(
    scope: Scope,
    digest: string,
    wanted: ApprovalRequest,
  ): Promise<{ approvalId: string; digest: string; token: string; isNew: boolean }>
  check(scope: Scope, digest: string, presented: PresentedToken): Promise<ApprovalCheck>
  /** With a `viewer`, only if it asked, may decide or has decided. */
  view(tenantId: string, approvalId: string, viewer?: Viewer): Promise<WrittenApproval | undefined>
  /** The approvals that the viewer has asked for or whose role it has; `undefined` for an invalid cursor. */
  list(tenantId: string, viewer: Viewer, query: ApprovalQuery): Promise<ApprovalPage | undefined>
  decide(tenantId: string, approvalId: string, decision: Decision): Promise<DecisionResult>
  /** Withdraws an open approval of the viewer. */
  withdraw(tenantId: string, approvalId: string, viewer: Viewer): Promise<Withdrawal>
}

/** The options shared by all runtimes. Tests replace the clock. */
export interface RuntimeOptions {
  readonly now?: () => Date
  readonly leaseSeconds?: number
  readonly workers?: number
}
