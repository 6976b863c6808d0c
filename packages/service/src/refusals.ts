import type {
  ClarificationRequired,
  Condition,
  Conflict,
  ErrorOutcome,
  FailedDependency,
  FieldError,
  Forbidden,
  ValidationFailed,
} from '@agentic-rest/profile'

interface RefusalRow {
  readonly type: 'forbidden' | 'conflict' | 'failed_dependency' | 'error'
  /** Set for the HTTP conditions outside the ten outcomes. */
  readonly condition?: Condition
  /** The message for the caller. Fixed text: no host, no value, no stack. */
  readonly message: string
}

/** Every code of the service itself. All other codes belong to its operations. */
export const refusals = {
  NOT_FOUND: { type: 'error', condition: 'not_found', message: 'There is no such resource.' },
  METHOD_NOT_ALLOWED: {
    type: 'error',
    condition: 'method_not_allowed',
    message: 'The resource does not support this method.',
  },
  BODY_TOO_LARGE: {
    type: 'error',
    condition: 'too_large',
    message: 'The request body is larger than allowed.',
  },
  SHUTTING_DOWN: { type: 'error', condition: 'unavailable', message: 'The service is shutting down.' },
  EXECUTION_TIMEOUT: { type: 'error', message: 'The operation took longer than it may.' },
  INTERNAL_ERROR: { type: 'error', message: 'The operation failed.' },
  HOST_NOT_ALLOWED: { type: 'forbidden', message: 'The request is for another host.' },
  IDENTITY_REQUIRED: { type: 'forbidden', message: 'The request has no identity that a gateway has signed.' },
  IDENTITY_INVALID: { type: 'forbidden', message: 'The signed identity of the request is not valid here.' },
  IDENTITY_KEYS_UNAVAILABLE: {
    type: 'failed_dependency',
    message: 'The keys to check the identity of the request cannot be had at the moment.',
  },
  TENANT_REQUIRED: {
    type: 'forbidden',
    message:
      'No tenant is known for this caller: its token needs a tenant claim, which a gateway passes on, or the service a default tenant.',
  },
  TENANT_UNKNOWN: { type: 'forbidden', message: 'The tenant is not known here.' },
  SUBJECT_REQUIRED: { type: 'forbidden', message: 'The request does not say who sends it.' },
  INSUFFICIENT_ROLES: { type: 'forbidden', message: 'The caller lacks the role that may decide this.' },
  APPROVAL_OWN_REQUEST: {
    type: 'forbidden',
    message: 'Somebody else than the requester has to decide this.',
  },
  APPROVAL_INVALID: {
    type: 'forbidden',
    message:
      'The approval does not allow this request: it was used, rejected, has expired or is for another.',
  },
  APPROVAL_IN_USE: {
    type: 'conflict',
    message: 'Another request is using the approval at the moment; it can be sent again when that has ended.',
  },
  APPROVAL_NOT_PENDING: { type: 'conflict', message: 'The approval is decided or withdrawn already.' },
  APPROVAL_EXPIRED: { type: 'conflict', message: 'The approval has expired.' },
  APPROVAL_DECIDED_ALREADY: {
    type: 'conflict',
    message: 'The caller has decided about this approval already.',
  },
  APPROVAL_CHANGED: {
    type: 'conflict',
    message: 'The approval is for another request than the one whose digest was sent; look at it again.',
  },
  APPROVAL_NOT_OWN: { type: 'forbidden', message: 'Only the requester can do this.' },
  TOO_MANY_APPROVALS: {
    type: 'error',
    condition: 'limit_exceeded',
    message: 'The requester has as many open approvals as it may have.',
  },
  IDEMPOTENCY_IN_PROGRESS: { type: 'conflict', message: 'A request with this key is still running.' },
  OPERATION_FINAL: { type: 'conflict', message: 'The operation has ended and cannot be cancelled.' },
  LIMIT_EXCEEDED: {
    type: 'error',
    condition: 'limit_exceeded',
    message: 'The tenant has as many open background operations as it may have.',
  },
  STORE_UNAVAILABLE: {
    type: 'failed_dependency',
    message: 'The store of the service does not answer at the moment.',
  },
  DEPENDENCY_UNAVAILABLE: {
    type: 'failed_dependency',
    message: 'A service that the operation depends on does not answer.',
  },
  DEPENDENCY_TIMEOUT: {
    type: 'failed_dependency',
    message: 'A service that the operation depends on did not answer in time.',
  },
  DEPENDENCY_INVALID_RESPONSE: {
    type: 'failed_dependency',
    message:
      'A service that the operation depends on answered with something that the profile does not allow.',
  },
  DEPENDENCY_IDENTITY_UNAVAILABLE: {
    type: 'failed_dependency',
    message: 'The identity to call another service with cannot be had at the moment.',
  },
  DEPENDENCY_REFUSED: {
    type: 'failed_dependency',
    message: 'A service that the operation depends on refused what it was sent.',
  },
  DEPENDENCY_NEEDS_INPUT: {
    type: 'failed_dependency',
    message: 'A service that the operation depends on needs an input that the caller cannot supply here.',
  },
} as const satisfies Record<string, RefusalRow>

/** A code of the service itself. */
export type RefusalCode = keyof typeof refusals

type OutcomeOf<Type extends RefusalRow['type']> = Extract<
  Forbidden | Conflict | FailedDependency | ErrorOutcome,
  { readonly type: Type }
>

/** The outcome for a code, with the text of the table. */
export function refusal<Code extends RefusalCode>(code: Code): OutcomeOf<(typeof refusals)[Code]['type']> {
  const { type, ...rest } = refusals[code]
  // The compiler cannot relate the row to its code.
  return { type, code, ...rest } as unknown as OutcomeOf<(typeof refusals)[Code]['type']>
}

// Open operations end at any time, so the pause is that between two polls of a status.
const LIMIT_RETRY_SECONDS = 1

/** The outcome for a background operation above `runtime.operations.maxOpenPerTenant`. */
export function tooManyOpen(limit: number): ErrorOutcome {
  const message = `The tenant has ${limit} open background operations, and maxOpenPerTenant allows no more.`
  return { ...refusal('LIMIT_EXCEEDED'), message, retryAfter: LIMIT_RETRY_SECONDS }
}

// Open approvals end when people decide them.
const APPROVALS_RETRY_SECONDS = 60

/** The outcome for an approval above `runtime.approvals.maxOpenPerRequester`. */
export function tooManyApprovals(limit: number): ErrorOutcome {
  const message = `The requester has ${limit} open approvals, and maxOpenPerRequester allows no more.`
  return { ...refusal('TOO_MANY_APPROVALS'), message, retryAfter: APPROVALS_RETRY_SECONDS }
}

/** The outcome for several invalid fields. */
export function invalidRequest(errors: readonly FieldError[]): ValidationFailed {
  return { type: 'validation_failed', message: 'The request is not valid.', errors }
}

/** The outcome for one invalid field. */
export function invalidAt(field: string, message: string): ValidationFailed {
  return invalidRequest([{ field, message }])
}

const MAX_TEXT_LENGTH = 300

/** Limits a text that a caller sent and that is returned in a fault. */
export function shorten(text: string): string {
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text
}

/** The outcome that asks for missing inputs. */
export function clarificationFor(
  requiredInputs: ClarificationRequired['requiredInputs'],
): ClarificationRequired {
  const names = requiredInputs.map(({ name }) => name).join(', ')
  return {
    type: 'clarification_required',
    message: `The operation needs more input: ${names}.`,
    requiredInputs,
  }
}
