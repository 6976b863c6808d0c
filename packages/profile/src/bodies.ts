import type {
  Accepted,
  ApprovalRequired,
  ClarificationRequired,
  Conflict,
  constantCodes,
  ErrorOutcome,
  FailedDependency,
  Forbidden,
  ValidationFailed,
} from './outcome.ts'
import type { OutcomeType } from './outcomes.ts'
import type { Trace } from './trace.ts'

type Codes = typeof constantCodes

/** The body of `accepted`. */
export type OperationBody = Omit<Accepted, 'type'> & {
  readonly type: 'operation_accepted'
  readonly trace: Trace
}

/** The body of `clarification_required`. */
export type ClarificationBody = ClarificationRequired & {
  readonly code: Codes['clarification_required']
  readonly trace: Trace
}

/** The body of `validation_failed`. */
export type ValidationErrorBody = ValidationFailed & {
  readonly code: Codes['validation_failed']
  readonly trace: Trace
}

/** The body of `approval_required`. */
export type ApprovalRequiredBody = ApprovalRequired & {
  readonly code: Codes['approval_required']
  readonly trace: Trace
}

/** The body of `conflict`. */
export type ConflictBody = Conflict & { readonly trace: Trace }

/** The generic error body, shared by `forbidden`, `failed_dependency` and `error`. */
export type GenericErrorBody<Type extends 'forbidden' | 'failed_dependency' | 'error'> = Omit<
  Extract<Forbidden | FailedDependency | ErrorOutcome, { type: Type }>,
  'condition'
> & { readonly trace: Trace }

/** The body of each outcome type. The service defines the first two. */
export interface BodyByType<SuccessBody = unknown, CreatedBody = SuccessBody> {
  readonly success: SuccessBody
  readonly created: CreatedBody
  readonly accepted: OperationBody
  readonly clarification_required: ClarificationBody
  readonly validation_failed: ValidationErrorBody
  readonly approval_required: ApprovalRequiredBody
  readonly forbidden: GenericErrorBody<'forbidden'>
  readonly conflict: ConflictBody
  readonly failed_dependency: GenericErrorBody<'failed_dependency'>
  readonly error: GenericErrorBody<'error'>
}

/** The body of one outcome type. */
export type BodyOf<Type extends OutcomeType> = BodyByType[Type]
