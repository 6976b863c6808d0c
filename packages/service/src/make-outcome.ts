import type {
  Accepted,
  ApprovalRequired,
  ClarificationRequired,
  Conflict,
  Created,
  ErrorOutcome,
  FailedDependency,
  Forbidden,
  Success,
  ValidationFailed,
} from '@agentic-rest/profile'

/** The operation was done. */
export function success<Body>(body: Body): Success<Body> {
  return { type: 'success', body }
}

/** A resource was created. */
export function created<Body>(body: Body): Created<Body> {
  return { type: 'created', body }
}

/** The work goes on elsewhere; for operations of this service `async` does this by itself. */
export function accepted(fields: Omit<Accepted, 'type'>): Accepted {
  return { type: 'accepted', ...fields }
}

/** The caller has to supply more inputs than the schema alone could tell. */
export function clarificationRequired(fields: Omit<ClarificationRequired, 'type'>): ClarificationRequired {
  return { type: 'clarification_required', ...fields }
}

/** Something the caller sent is wrong in a way the schema alone could not tell. */
export function validationFailed(fields: Omit<ValidationFailed, 'type'>): ValidationFailed {
  return { type: 'validation_failed', ...fields }
}

/** Somebody has to approve first. An operation with `approval` gets its token from the runtime. */
export function approvalRequired(fields: Omit<ApprovalRequired, 'type'>): ApprovalRequired {
  return { type: 'approval_required', ...fields }
}

/** The caller lacks permission. */
export function forbidden(fields: Omit<Forbidden, 'type'>): Forbidden {
  return { type: 'forbidden', ...fields }
}

/** The request contradicts the state of a resource. */
export function conflict(fields: Omit<Conflict, 'type'>): Conflict {
  return { type: 'conflict', ...fields }
}

/** Something the operation depends on failed. */
export function failedDependency(fields: Omit<FailedDependency, 'type'>): FailedDependency {
  return { type: 'failed_dependency', ...fields }
}

/** The operation failed. With a `condition` it is one of the HTTP conditions outside the ten. */
export function error(fields: Omit<ErrorOutcome, 'type'>): ErrorOutcome {
  return { type: 'error', ...fields }
}
