import type { Condition } from './outcomes.ts'

/** The three outcomes whose body has a fixed `code`. An outcome does not repeat it; its body does. */
export const constantCodes = {
  clarification_required: 'CLARIFICATION_REQUIRED',
  validation_failed: 'VALIDATION_FAILED',
  approval_required: 'APPROVAL_REQUIRED',
} as const

/** Where a caller has to put an input. */
export const inputLocations = ['body', 'query', 'path', 'header'] as const
/** One of the four places an input can be put. */
export type InputLocation = (typeof inputLocations)[number]

/** The type hints of an input. There is no `number`: such an input is asked for as a string. */
export const inputTypes = ['string', 'integer', 'boolean', 'array', 'object'] as const
/** One of the five type hints. */
export type InputType = (typeof inputTypes)[number]

/** One input that the caller has to supply before the operation can proceed. */
export interface RequiredInput {
  readonly name: string
  readonly location: InputLocation
  readonly type: InputType
  readonly required: boolean
  readonly question: string
  readonly allowedValues?: readonly unknown[]
}

/** A list that holds at least one element. */
export type NonEmpty<T> = readonly [T, ...T[]]

/** One fault of a request, at the field that has it. */
export interface FieldError {
  readonly field: string
  readonly message: string
}

/** The operation was done; the body is the service's own. */
export interface Success<Body = unknown> {
  readonly type: 'success'
  readonly body: Body
}

/** A resource was created; the body is the service's own. */
export interface Created<Body = unknown> {
  readonly type: 'created'
  readonly body: Body
}

/** The work goes on in the background; `statusUrl` says how far it is. */
export interface Accepted {
  readonly type: 'accepted'
  readonly operationId: string
  readonly statusUrl: string
  readonly code?: string
  readonly message?: string
}

/** The caller has to supply more inputs. */
export interface ClarificationRequired {
  readonly type: 'clarification_required'
  readonly message: string
  readonly requiredInputs: NonEmpty<RequiredInput>
}

/** Something the caller sent is wrong. */
export interface ValidationFailed {
  readonly type: 'validation_failed'
  readonly message: string
  readonly errors: readonly FieldError[]
}

/** Somebody has to approve before the operation can proceed. */
export interface ApprovalRequired {
  readonly type: 'approval_required'
  readonly message: string
  readonly approvalToken: string
  readonly approver?: { readonly name: string }
}

/** The caller lacks permission. */
export interface Forbidden {
  readonly type: 'forbidden'
  readonly code: string
  readonly message: string
}

/** The request contradicts the state of a resource. */
export interface Conflict {
  readonly type: 'conflict'
  readonly code: string
  readonly message: string
  readonly conflictingResourceId?: string
}

/** Something the operation depends on did not answer as it has to. */
export interface FailedDependency {
  readonly type: 'failed_dependency'
  readonly code: string
  readonly message: string
}

/**
 * The operation failed. With a `condition` it is one of the HTTP conditions outside the ten,
 * which share this outcome's body; `retryAfter` belongs to `limit_exceeded` alone.
 */
export interface ErrorOutcome {
  readonly type: 'error'
  readonly code: string
  readonly message: string
  readonly condition?: Condition
  readonly retryAfter?: number
}

/** Every answer of an agent operation. A `switch` over `type` without `default` has to name all ten. */
export type Outcome<SuccessBody = unknown, CreatedBody = SuccessBody> =
  | Success<SuccessBody>
  | Created<CreatedBody>
  | Accepted
  | ClarificationRequired
  | ValidationFailed
  | ApprovalRequired
  | Forbidden
  | Conflict
  | FailedDependency
  | ErrorOutcome
