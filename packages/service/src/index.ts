export type {
  AuditEmitter,
  AuditEvent,
  FieldError,
  InputLocation,
  InputType,
  JsonFault,
  JsonOptions,
  JsonReading,
  Outcome,
  OutcomeType,
  RequiredInput,
  StreamEvent,
  Trace,
} from '@agentic-rest/profile'
export { parseJson, parseOwnJson } from '@agentic-rest/profile'
export { type ClosableAudit, jsonLinesAudit, type LineSink, teeAudit } from './audit/emitters.ts'
export { type HttpAudit, type HttpAuditOptions, httpAudit } from './audit/http-audit.ts'
export type { SealOptions } from './audit/sealed-lines.ts'
export type { Call, CallObserver, CallRequest, ObservedCall, QueryValue } from './call/call.ts'
export type { CallStream } from './call/call-stream.ts'
export {
  type CallerToken,
  type CallIdentity,
  passThrough,
  type ServiceAccountOptions,
  serviceAccount,
} from './call/identity.ts'
export { type OwnInputs, type Propagation, propagate } from './call/propagate.ts'
export type { DurableSettings } from './durable.ts'
export type { JsonSchema } from './input/json-schema.ts'
export { jsonLinesLog, type Log, type LogFields } from './log.ts'
export {
  accepted,
  approvalRequired,
  type CreatedAt,
  type CreatedOptions,
  clarificationRequired,
  conflict,
  created,
  error,
  failedDependency,
  forbidden,
  success,
  validationFailed,
} from './make-outcome.ts'
export {
  type ApprovalRule,
  type BackgroundChoice,
  defineOperation,
  type EventOf,
  type InputOf,
  type Objection,
  type Operation,
  type OperationDefinition,
  type OutputSchemas,
  type PersonBehind,
  type Refusal,
  type Running,
  type WantedApproval,
} from './operation.ts'
export type { Method, ParameterNames, PathParams } from './path-template.ts'
export type {
  AcceptContext,
  AuditDetail,
  CheckContext,
  GivenApproval,
  RequestAudit,
  RequestContext,
  RunContext,
} from './run-context.ts'
export type { ApprovalsOptions } from './runtime/approvals/approvals.ts'
export type { ApprovalEvent, ApprovalNotify } from './runtime/approvals/notify-options.ts'
export type { Cancellation, ReleasedOperation, RuntimeOptions } from './runtime/contract.ts'
export type { IdempotencyOptions } from './runtime/idempotency.ts'
export type { BackgroundFault, OperationsOptions } from './runtime/operations-options.ts'
export type { Principal } from './runtime/principal.ts'
export { createStore } from './runtime/sql-store.ts'
export type { MigrationStep, OwnTables, Sql, Store, StoreOptions } from './runtime/store.ts'
export { StoreLockedError, StoreUnavailableError, TakenOverError } from './runtime/store.ts'
export { createService, type Service, type ServiceOptions } from './service.ts'
export { type EventFields, event, ServiceEvent } from './stream/event.ts'
export { RawResponse, raw } from './stream/raw.ts'
export type { StreamSettings } from './stream/streamed-answer.ts'
export type { JsonWebKeySet } from './trust/key-set.ts'
export type { TrustOptions } from './trust/trust.ts'
