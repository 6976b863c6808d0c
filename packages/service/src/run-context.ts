import type { AuditEvent, Outcome, Trace } from '@agentic-rest/profile'
import { type Call, type CallOptions, type CallScope, createCall } from './call/call.ts'
import { type Propagation, propagate } from './call/propagate.ts'
import type { InputField } from './input/input-fields.ts'
import type { Log } from './log.ts'
import type { Cancellation } from './runtime/contract.ts'
import type { Sql } from './runtime/store.ts'

/** What an operation adds to the audit record of its request. */
export interface AuditDetail {
  /** The resource that the request was about; the last path parameter unless set. */
  readonly resource_id?: string
  /** Business detail; never a secret, never personal data. */
  readonly attributes?: Readonly<Record<string, string>>
}

/** The audit emitter as one request sees it. */
export interface RequestAudit {
  /** Adds to the record that is written with the answer. */
  set(detail: AuditDetail): void
  /** Writes a record of its own at once; tenant, actor, ids and operation are filled in. */
  emit(event: Pick<AuditEvent, 'event_type' | 'outcome'> & AuditDetail): void
}

/** The approval that a request was resent with. */
export interface GivenApproval {
  readonly approvalId: string
  /** The subject that approved; not known for work that an older version accepted. */
  readonly decidedBy: string | undefined
}

/** Everything that is known of a request before it may have an effect. */
export interface RequestContext<Input = unknown, Params = Readonly<Record<string, string>>> {
  /** The path parameters, decoded. */
  readonly params: Params
  /** The inputs as their schema gives them. */
  readonly input: Input
  readonly tenant: string
  /** Who acts, for people to read; empty when the request did not say. */
  readonly actor: string
  /** The validated subject of the token: ownership and approvals are decided by this one alone. */
  readonly subject: string | undefined
  readonly roles: readonly string[]
  readonly trace: Trace
  readonly idempotencyKey: string | undefined
  /** Aborted when the caller leaves, the service closes or, in the background, the operation is cancelled. */
  readonly signal: AbortSignal
  readonly log: Log
  readonly audit: RequestAudit
  /** Calls another agent and returns its outcome; it never throws for an answer or for a failed connection. */
  readonly call: Call
  /** Makes an inner outcome this operation's own, with the inputs named and placed as this operation has them. */
  propagate(inner: Outcome, options?: Propagation): Outcome
}

/** What `check` gets. */
export interface CheckContext<Input = unknown, Params = Readonly<Record<string, string>>>
  extends RequestContext<Input, Params> {
  /** Whether the caller would have to poll for what `run` finds out: worth looking further. */
  readonly prefersAsync: boolean
}

/** What `accept` gets. */
export interface AcceptContext<Input = unknown, Params = Readonly<Record<string, string>>>
  extends RequestContext<Input, Params> {
  /** The operation that the 202 is about to name; its runs have the same. */
  readonly operationId: string
}

/** What `run` gets. */
export interface RunContext<Input = unknown, Params = Readonly<Record<string, string>>>
  extends RequestContext<Input, Params> {
  /** The operation in the background that this run is an attempt of; absent while a caller waits. */
  readonly operationId: string | undefined
  /** Set when the request was resent with an approval. */
  readonly approval: GivenApproval | undefined
  /** Adds a header to the answer, for example `Location`; the profile's own headers cannot be changed. */
  setHeader(name: string, value: string): void
  /**
   * Runs effects in one transaction of the store, together with the stored outcome of the idempotency key and the
   * redemption of the approval. An outcome that is no success rolls all of it back. Once per run.
   */
  commit<Result extends Outcome>(work: (sql: Sql) => Promise<Result>): Promise<Result>
  /** Says how far a run in the background is; without effect in a request that waits. */
  progress(value: unknown): Promise<void>
  /** Cancels an operation of the same tenant, in the transaction of `commit`; its own `release` is part of it. */
  cancelOperation(operationId: string, sql: Sql): Promise<Cancellation>
}

/** What a context is made of. */
interface ContextSource
  extends Pick<
    RequestContext,
    'params' | 'input' | 'tenant' | 'actor' | 'subject' | 'roles' | 'idempotencyKey' | 'signal'
  > {
  readonly operation: { readonly id: string; readonly fields: ReadonlyMap<string, InputField> }
  readonly trace: Trace
  readonly log: Log
  readonly audit: RequestAudit
  readonly callOptions: CallOptions
  /** What calls pass on beside tenant, key and correlation id. */
  readonly passedOn: Pick<CallScope, 'authorization' | 'traceparent' | 'forwardedApproval' | 'approvalWanted'>
}

/** The context of one run, whether a caller waits for it or not. */
export function makeContext({ operation, callOptions, passedOn, ...own }: ContextSource): RequestContext {
  const { tenant, trace, idempotencyKey, signal, log } = own
  const scope = { operation: operation.id, tenant, trace, idempotencyKey, signal, log, ...passedOn }
  const ownInputs = { locationOf: (name: string) => operation.fields.get(name)?.location }
  return {
    ...own,
    call: createCall(callOptions, scope),
    propagate: (inner, options) => propagate(inner, options, ownInputs),
  }
}
