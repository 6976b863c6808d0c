import type { Condition } from './outcomes.ts'

/** The three outcomes with a fixed `code`. The code is in the body, not in the outcome. */
export const constantCodes = {
  clarification_required: 'CLARIFICATION_REQUIRED',
  validation_failed: 'VALIDATION_FAILED',
  approval_required: 'APPROVAL_REQUIRED',
} as const

/** The locations of inputs. */
export const inputLocations = ['body', 'query', 'path', 'header'] as const
/** One of the four locations. */
export type InputLocation = (typeof inputLocations)[number]

/** The type hints of an input. There is no `number`: such an input is asked for as a string. */
export const inputTypes = ['string', 'integer', 'boolean', 'array', 'object'] as const
/** One of the five type hints. */
export type InputType = (typeof inputTypes)[number]

/** One input that the operation needs from the caller. */
export interface RequiredInput {
  readonly name: string
  readonly location: InputLocation
  readonly type: InputType
  readonly required: boolean
  readonly question: string
  readonly allowedValues?: readonly unknown[]
}

/** A list with at least one element. */
export type NonEmpty<T> = readonly [T, ...T[]]

/** One fault of a request, with its field. */
export interface FieldError {
  readonly field: string
  readonly message: string
}

/** The operation was done. The service defines the body. */
export interface Success<Body = unknown> {
  readonly type: 'success'
  readonly body: Body
}

/** A resource was created. The service defines the body. */
export interface Created<Body = unknown> {
  readonly type: 'created'
  readonly body: Body
}

/** The work continues in the background. `statusUrl` is the address of its status. */
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

/** The request is not valid. */
export interface ValidationFailed {
  readonly type: 'validation_failed'
  readonly message: string
  readonly errors: readonly FieldError[]
}

/** The operation needs an approval. */
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

/** A dependency of the operation failed. */
export interface FailedDependency {
  readonly type: 'failed_dependency'
  readonly code: string
  readonly message: string
}

/**
 * The operation failed. A `condition` is one of the HTTP conditions outside the ten outcomes, which share this body.
 * Only `limit_exceeded` has `retryAfter`.
 */
export interface ErrorOutcome {
  readonly type: 'error'
  readonly code: string
  readonly message: string
  readonly condition?: Condition
  readonly retryAfter?: number
}

/** Every answer of an agent operation. A `switch` over `type` without `default` must handle all ten. */
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
