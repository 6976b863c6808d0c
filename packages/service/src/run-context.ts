import type { AuditEvent, Outcome, Trace } from '@agentic-rest/profile'
import { type Call, type CallOptions, type CallScope, createCall } from './call/call.ts'
import { type Propagation, propagate } from './call/propagate.ts'
import type { InputField } from './input/input-fields.ts'
import type { Log } from './log.ts'
import type { Cancellation } from './runtime/contract.ts'
import type { Sql } from './runtime/store.ts'

/** Fields that an operation adds to the audit record of its request. */
export interface AuditDetail {
  /** The resource of the request; the last path parameter by default. */
  readonly resource_id?: string
  /** Business detail; never a secret, never personal data. */
  readonly attributes?: Readonly<Record<string, string>>
}

/** The audit emitter of one request. */
export interface RequestAudit {
  /** Adds fields to the record of the answer. */
  set(detail: AuditDetail): void
  /** Writes an additional record at once, with tenant, actor, ids and operation filled in. */
  emit(event: Pick<AuditEvent, 'event_type' | 'outcome'> & AuditDetail): void
}

/** The approval of a request that was sent again. */
export interface GivenApproval {
  readonly approvalId: string
  /** The subject that approved; unknown for jobs accepted by an older version. */
  readonly decidedBy: string | undefined
  /** The issuer of that subject; absent if the gateway names none. */
  readonly decidedByIssuer: string | undefined
}

/** The context of a request before its effect. */
export interface RequestContext<Input = unknown, Params = Readonly<Record<string, string>>> {
  /** The decoded path parameters. */
  readonly params: Params
  /** The inputs, as parsed by their schema. */
  readonly input: Input
  readonly tenant: string
  /** The display name of the caller; empty if the request has none. */
  readonly actor: string
  /** The validated subject of the token. Ownership and approvals use it together with its issuer, and nothing else. */
  readonly subject: string | undefined
  /** The issuer of the token; absent if the gateway names none. A subject is unique only within its issuer. */
  readonly issuer: string | undefined
  readonly roles: readonly string[]
  readonly trace: Trace
  readonly idempotencyKey: string | undefined
  /** Aborted when the caller disconnects, the service closes or the background operation is cancelled. */
  readonly signal: AbortSignal
  readonly log: Log
  readonly audit: RequestAudit
  /** Calls another agent and returns its outcome. It never throws for an answer or a failed connection. */
  readonly call: Call
  /** Turns an inner outcome into one of this operation, with the names and locations of its inputs. */
  propagate(inner: Outcome, options?: Propagation): Outcome
}

/** The context of `check`. */
export interface CheckContext<Input = unknown, Params = Readonly<Record<string, string>>>
  extends RequestContext<Input, Params> {
  /** Whether the caller would have to poll for the result. An early refusal then saves the polling. */
  readonly prefersAsync: boolean
}

/** The context of `accept`. */
export interface AcceptContext<Input = unknown, Params = Readonly<Record<string, string>>>
  extends RequestContext<Input, Params> {
  /** The id of the background operation, as in the 202 and in its runs. */
  readonly operationId: string
}

/** The context of `run`. */
export interface RunContext<Input = unknown, Params = Readonly<Record<string, string>>>
  extends RequestContext<Input, Params> {
  /** The background operation of this run; absent while a caller waits. */
  readonly operationId: string | undefined
  /** Set if the request has an approval. */
  readonly approval: GivenApproval | undefined
  /** Whether the caller accepts an event stream, for a `run` that chooses between a raw stream and an outcome. */
  readonly acceptsStream: boolean
  /** Adds a header to the answer, for example `Location`. Headers of the profile cannot be changed. */
  setHeader(name: string, value: string): void
  /**
   * Runs effects in one transaction of the store, together with the stored outcome of the idempotency key and the
   * redemption of the approval. An outcome without success rolls everything back. Callable once per run.
   */
  commit<Result extends Outcome>(work: (sql: Sql) => Promise<Result>): Promise<Result>
  /** Reports the progress of a background run; does nothing while a caller waits. */
  progress(value: unknown): Promise<void>
  /** Cancels an operation of the same tenant, in the transaction of `commit`, including its `release`. */
  cancelOperation(operationId: string, sql: Sql): Promise<Cancellation>
}

/** The parts of a context. */
interface ContextSource
  extends Pick<
    RequestContext,
    'params' | 'input' | 'tenant' | 'actor' | 'subject' | 'issuer' | 'roles' | 'idempotencyKey' | 'signal'
  > {
  readonly operation: { readonly id: string; readonly fields: ReadonlyMap<string, InputField> }
  readonly trace: Trace
  readonly log: Log
  readonly audit: RequestAudit
  readonly callOptions: CallOptions
  /** Values that calls forward, besides tenant, key and correlation id. */
  readonly passedOn: Pick<
    CallScope,
    'authorization' | 'traceparent' | 'forwardedApproval' | 'approvalWanted' | 'via'
  >
}

/** Creates the context of a request or a background run. */
export function makeContext({ operation, callOptions, passedOn, ...own }: ContextSource): RequestContext {
  const { tenant, trace, idempotencyKey, signal, log } = own
  const via = [...passedOn.via, `${own.subject ?? (own.actor || 'somebody')} called ${operation.id}`]
  const scope = { operation: operation.id, tenant, trace, idempotencyKey, signal, log, ...passedOn, via }
  const ownInputs = { locationOf: (name: string) => operation.fields.get(name)?.location }
  return {
    ...own,
    call: createCall(callOptions, scope),
    propagate: (inner, options) => propagate(inner, options, ownInputs),
  }
}
