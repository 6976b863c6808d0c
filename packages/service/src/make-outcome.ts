import type {
  Accepted,
  ApprovalRequired,
  ClarificationRequired,
  Conflict,
  Created,
  ErrorOutcome,
  FailedDependency,
  Forbidden,
  Outcome,
  Success,
  ValidationFailed,
} from '@agentic-rest/profile'

/** The operation was done. */
export function success<Body>(body: Body): Success<Body> {
  return { type: 'success', body }
}

/** A created resource and its address. */
export interface CreatedAt<Body = unknown> extends Created<Body> {
  readonly location?: string | undefined
}

/** The address of a created resource, sent as `Location`. */
export interface CreatedOptions {
  /** A URL, or a path of this service; the `publicPath` of the service is put before a path. */
  readonly location?: string | undefined
}

/** A resource was created. Throws a `TypeError` for a location that no header can carry. */
export function created<Body>(body: Body, { location }: CreatedOptions = {}): CreatedAt<Body> {
  if (location === undefined) return { type: 'created', body }
  if (!/^[\x21-\x7e]+$/.test(location))
    throw new TypeError('location has to be a URL or a path in printable ASCII; encode its segments')
  return { type: 'created', body, location }
}

/** The address of a created resource, if the outcome has one. */
export function createdLocation(outcome: Outcome, publicPath: string): string | undefined {
  if (outcome.type !== 'created') return undefined
  const { location }: CreatedAt = outcome
  // Two slashes at the start name another host, not a path.
  return location === undefined || !/^\/(?!\/)/.test(location) ? location : `${publicPath}${location}`
}

/** The work continues in the background. Operations with `async` get this outcome from the runtime. */
export function accepted(fields: Omit<Accepted, 'type'>): Accepted {
  return { type: 'accepted', ...fields }
}

/** The caller has to supply more inputs, for reasons outside the schema. */
export function clarificationRequired(fields: Omit<ClarificationRequired, 'type'>): ClarificationRequired {
  return { type: 'clarification_required', ...fields }
}

/** An input is invalid, for reasons outside the schema. */
export function validationFailed(fields: Omit<ValidationFailed, 'type'>): ValidationFailed {
  return { type: 'validation_failed', ...fields }
}

/** The request needs an approval. Operations with `approval` get this outcome from the runtime. */
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

/** A dependency of the operation failed. */
export function failedDependency(fields: Omit<FailedDependency, 'type'>): FailedDependency {
  return { type: 'failed_dependency', ...fields }
}

/** The operation failed. A `condition` selects one of the HTTP conditions outside the ten outcomes. */
export function error(fields: Omit<ErrorOutcome, 'type'>): ErrorOutcome {
  return { type: 'error', ...fields }
}
