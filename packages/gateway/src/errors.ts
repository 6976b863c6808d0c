// Types only: a thread of prompt-sanitize loads this file without the packages of a checkout.
import type {
  Condition,
  Conflict,
  ErrorOutcome,
  FailedDependency,
  Forbidden,
  Outcome,
  ValidationFailed,
} from '@agentic-rest/profile'

/** One code of the gateway: its answer, its cause and its fix. */
interface ErrorCodeRow {
  readonly type: 'forbidden' | 'conflict' | 'failed_dependency' | 'error'
  /** Set for the HTTP conditions outside the ten. */
  readonly condition?: Condition
  /** The `error` of the `WWW-Authenticate` challenge (RFC 6750, section 3.1). */
  readonly challenge?: 'invalid_request' | 'invalid_token'
  /** The text for the caller. Fixed: no host, no value, no stack. */
  readonly message: string
  readonly cause: string
  readonly fix: string
}

const unauthenticated = { type: 'error', condition: 'unauthenticated', challenge: 'invalid_token' } as const

/** Every code that the gateway itself answers with. `docs/errors.md` is generated from this table. */
export const errorCodes = {
  MISSING_TOKEN: {
    ...unauthenticated,
    challenge: 'invalid_request',
    message: 'A bearer token is required.',
    cause: 'The request has no Authorization header, or one of another scheme.',
    fix: 'Send `Authorization: Bearer <token>`.',
  },
  INVALID_TOKEN: {
    ...unauthenticated,
    message: 'The bearer token is not valid.',
    cause:
      'The token is malformed, too long, signed by an unknown key, an ID token, or its signature or type is wrong. Or it is bound by `cnf` to another client certificate than the one of the connection, or to a proof that the gateway does not check.',
    fix: 'Get a new token from the identity provider that the gateway is configured for. With a bound token, connect with its certificate; `gateway.tls.client_ca_file` must trust it.',
  },
  TOKEN_EXPIRED: {
    ...unauthenticated,
    message: 'The bearer token has expired.',
    cause: 'The `exp` claim lies in the past, clock skew allowed for.',
    fix: 'Refresh the token; check the clocks if it is new.',
  },
  TOKEN_NOT_YET_VALID: {
    ...unauthenticated,
    message: 'The bearer token is not valid yet.',
    cause: 'The `nbf` or the `iat` claim lies in the future, clock skew allowed for.',
    fix: 'Check the clocks of issuer and gateway.',
  },
  UNKNOWN_ISSUER: {
    ...unauthenticated,
    message: 'The issuer of the bearer token is not known.',
    cause: 'The `iss` claim is none of the configured issuers.',
    fix: 'Register the issuer under `plugins.token-validator.issuers`, or use another token.',
  },
  AUDIENCE_MISMATCH: {
    ...unauthenticated,
    message: 'The bearer token is meant for another audience.',
    cause: 'The `aud` claim has none of the audiences configured for its issuer.',
    fix: 'Ask for a token with the audience of this gateway.',
  },
  REQUIRED_CLAIM_MISSING: {
    ...unauthenticated,
    message: 'The bearer token lacks a required claim.',
    cause: 'A claim of `required_claims`, the subject or the expiry is missing or empty.',
    fix: 'Have the issuer add the claim.',
  },
  DISALLOWED_ALGORITHM: {
    ...unauthenticated,
    message: 'The bearer token is signed with an algorithm that is not allowed.',
    cause: 'The `alg` of the token is not in the list of its issuer.',
    fix: 'Sign with an allowed algorithm, or add it to the issuer.',
  },
  INSUFFICIENT_ROLES: {
    type: 'forbidden',
    message: 'The caller lacks a role that this operation needs.',
    cause: 'The route names roles that are not all in the token.',
    fix: 'Use an identity that has the roles of the route.',
  },
  TENANT_REQUIRED: {
    type: 'forbidden',
    message:
      'No tenant is known for this caller: its token needs a tenant claim, or, with several tenants, the request names one of them.',
    cause:
      'Neither the token nor the directory names one tenant, and the header alone does not decide for this caller.',
    fix: 'Use a token with a tenant claim, or give the caller a tenant in the directory. The header `X-Tenant-ID` only chooses among several tenants of the token, and names the tenant of a service account.',
  },
  TENANT_MISMATCH: {
    type: 'forbidden',
    message: 'The tenant of the request is not one of the caller.',
    cause:
      'The header names a tenant that the token, the directory or the list of the service account does not grant.',
    fix: 'Send the tenant the identity belongs to.',
  },
  TENANT_UNKNOWN: {
    type: 'forbidden',
    message: 'The tenant is not known here.',
    cause: 'The tenant is malformed, not in the directory, or outside `tenant-injector.allowed`.',
    fix: 'Correct the tenant, or allow it.',
  },
  INSUFFICIENT_SCOPE: {
    type: 'forbidden',
    message: 'The token lacks a scope that this operation needs.',
    cause: 'The route names scopes that are not all in the token; `WWW-Authenticate` lists them.',
    fix: 'Ask the issuer for a token with these scopes.',
  },
  POLICY_DENIED: {
    type: 'forbidden',
    message: 'A policy of this operation denies the request.',
    cause:
      'The expression `allow` of the route is false for this request, or failed, for example at a claim that the token lacks.',
    fix: 'See `allow` of the route that the audit record names as `policy`.',
  },
  LICENSE_REQUIRED: {
    type: 'forbidden',
    message: 'The tenant has no licence for this operation.',
    cause: 'The feature that the route names is not licensed to the tenant.',
    fix: 'License the feature to the tenant.',
  },
  LICENSE_EXPIRED: {
    type: 'forbidden',
    message: 'The licence of the tenant has expired.',
    cause: '`expires_at` of the tenant lies in the past.',
    fix: 'Renew the licence.',
  },
  IDEMPOTENCY_IN_PROGRESS: {
    type: 'conflict',
    message: 'A request with this idempotency key is still being processed.',
    cause: 'The first request with the key has no answer yet, or its stream is still open.',
    fix: 'Wait as long as `Retry-After` says and send the same request again.',
  },
  IDEMPOTENCY_OUTCOME_UNKNOWN: {
    type: 'conflict',
    message: 'It is not known whether the first request with this idempotency key had an effect.',
    cause:
      'The first request was sent to the service and no complete answer came: its deadline passed, the connection broke, a proxy answered 502 or 504, or the gateway ended. The route has `onUnknown: refuse`, so it is not sent again.',
    fix: 'Look at the resource to see whether the request had its effect; if not, send it with a new key.',
  },
  IDEMPOTENCY_NOT_REPLAYABLE: {
    type: 'conflict',
    message: 'The request with this idempotency key was carried out, but its answer is not stored.',
    cause:
      'The first answer was a stream, larger than `maxStoredBytes`, encoded, a success other than 200, 201 and 202, a redirection to the result, or one that the gateway did not let through.',
    fix: 'Read the resource instead; use a new key for another request.',
  },
  JWKS_UNAVAILABLE: {
    type: 'failed_dependency',
    message: 'The keys to check the token with cannot be had at the moment.',
    cause:
      'The key set of the issuer was never fetched, or is older than a day, and its address does not answer. Or 32 requests already wait for an unknown key of the issuer.',
    fix: 'Restore the key set endpoint; try again later.',
  },
  INTROSPECTION_UNAVAILABLE: {
    type: 'failed_dependency',
    message: 'The issuer cannot be asked about the token at the moment.',
    cause:
      'The introspection server failed, timed out, refused the gateway or answered with something else than RFC 7662. Or 64 tokens of the issuer are already being asked about.',
    fix: 'Restore the introspection server; check `client_id` and `client_secret_file`; try again later.',
  },
  TENANT_LOOKUP_UNAVAILABLE: {
    type: 'failed_dependency',
    message: 'The tenant directory does not answer.',
    cause: 'The tenant webhook failed, timed out or answered with something else than its contract.',
    fix: 'Restore the directory; try again later.',
  },
  LICENSE_UNAVAILABLE: {
    type: 'failed_dependency',
    message: 'The licence server does not answer.',
    cause: 'The licence webhook failed, timed out or answered with something else than its contract.',
    fix: 'Restore the licence server; try again later.',
  },
  UPSTREAM_UNAVAILABLE: {
    type: 'failed_dependency',
    message: 'The service behind this operation does not answer.',
    cause: 'The connection was refused, timed out, or was reset before the answer, or a stream broke off.',
    fix: 'Check the service; safe and keyed requests can be sent again.',
  },
  UPSTREAM_INVALID_RESPONSE: {
    type: 'failed_dependency',
    message: 'The service behind this operation answered with something that is not valid HTTP.',
    cause: 'The answer could not be parsed, its headers were too large, or a typed body was cut off.',
    fix: 'Check the service.',
  },
  ROUTE_NOT_FOUND: {
    type: 'error',
    condition: 'not_found',
    message: 'There is no such operation.',
    cause: 'No route matches the path.',
    fix: 'Check the path against the routes of the gateway.',
  },
  METHOD_NOT_ALLOWED: {
    type: 'error',
    condition: 'method_not_allowed',
    message: 'The operation does not support this method.',
    cause: 'A route matches the path but not the method; `Allow` lists those that do.',
    fix: 'Use one of the methods in `Allow`.',
  },
  BODY_TOO_LARGE: {
    type: 'error',
    condition: 'too_large',
    message: 'The request body is larger than allowed.',
    cause: 'The body exceeds `gateway.limits.max_body_bytes`, or that of prompt-sanitize or `mcp`.',
    fix: 'Send less, or raise the limit.',
  },
  LIMIT_EXCEEDED: {
    type: 'error',
    condition: 'limit_exceeded',
    message: 'The tenant asks for more than it may have at the moment.',
    cause: 'The tenant has reached the limit that the message and the audit record name.',
    fix: 'Wait for `retryAfter` seconds and send the request again, close a stream, or raise the limit.',
  },
  BUDGET_EXCEEDED: {
    type: 'error',
    condition: 'limit_exceeded',
    message: 'The tenant has too little left of its budget for the request.',
    cause:
      'The tokens or the cost that the request may need do not fit into the budget that the message and the audit record name.',
    fix: 'Ask for fewer tokens, wait for the next day or month (`retryAfter` seconds), or raise the budget.',
  },
  STORE_UNAVAILABLE: {
    type: 'failed_dependency',
    message: 'The gateway cannot reach the store that counts this limit.',
    cause:
      'The store of `gateway.shared` is out of reach, and a policy of the route has `on_store_failure: refuse`, the route needs the store for idempotency keys, or a person signs in or out.',
    fix: 'Send the request again later; see the log and `/readyz` for the store.',
  },
  OVERLOADED: {
    type: 'error',
    condition: 'unavailable',
    message: 'The gateway has more work than it can do at the moment.',
    cause:
      'The gateway has reached the limit that the message and the audit record name, or its event loop is late.',
    fix: 'Wait as long as `Retry-After` says and send the request again.',
  },
  SHUTTING_DOWN: {
    type: 'error',
    condition: 'unavailable',
    message: 'The gateway is shutting down.',
    cause: 'The process was told to end and finishes what it has.',
    fix: 'Send the request again; another instance will take it.',
  },
  TRACE_MISSING: {
    type: 'error',
    message: 'The service answered without the trace of the request.',
    cause: 'A typed body has no `trace` object with two non-empty ids.',
    fix: 'Put both ids of the request into every typed body of the service.',
  },
  TRACE_MISMATCH: {
    type: 'error',
    message: 'The service answered with the trace of another request.',
    cause: 'The ids in the body are not those that the gateway forwarded.',
    fix: 'Take the ids from the request headers, not from a cache or another request.',
  },
  INVALID_AGENTIC_RESPONSE: {
    type: 'error',
    message: 'The service answered with a typed body that cannot be read.',
    cause:
      'The body is not JSON, nests deeper than 64 levels, is encoded in an unknown way, or exceeds `max_agentic_response_bytes`.',
    fix: 'Correct the service.',
  },
  PROFILE_VIOLATION: {
    type: 'error',
    message: 'The service answered with something that the profile does not allow.',
    cause:
      'Status, media type or body do not fit the table of outcomes, and the route has `conformance: enforce`.',
    fix: 'The cause in `agentic explain` and in the audit record names the place, such as `#/code is required`. Save the answer of the service and check it with `npx agentic validate FILE`; correct the service.',
  },
  EXECUTION_TIMEOUT: {
    type: 'error',
    message: 'The operation took longer than it may.',
    cause: '`executionTimeoutSeconds` of the route passed, plus 30 seconds for streams.',
    fix: 'Raise the deadline, or let the service answer with an operation to poll.',
  },
  PLUGIN_FAILED: {
    type: 'error',
    message: 'The gateway could not process the request.',
    cause: 'A plugin failed; the log has the reason under the request id.',
    fix: 'Report it with the request id.',
  },
  SANITIZE_FAILED: {
    type: 'error',
    message: 'The gateway could not inspect the request body.',
    cause: 'prompt-sanitize failed, and what it cannot inspect it does not let pass.',
    fix: 'Report it with the request id.',
  },
  INTERNAL_ERROR: {
    type: 'error',
    message: 'The gateway failed.',
    cause: 'A fault in the gateway itself; the log has the reason under the request id.',
    fix: 'Report it with the request id.',
  },
} as const satisfies Record<string, ErrorCodeRow>

/** A code that the gateway answers with. */
export type ErrorCode = keyof typeof errorCodes

/** The row of a code, for code that treats all codes alike. */
export function errorCodeRow(code: ErrorCode): ErrorCodeRow {
  return errorCodes[code]
}

/** The outcome for a code. Its text is the table's; callers never add a value. */
export function refusal(code: ErrorCode): Forbidden | Conflict | FailedDependency | ErrorOutcome {
  const { type, condition, message } = errorCodeRow(code)
  if (type !== 'error' || condition === undefined) return { type, code, message }
  return { type, code, message, condition }
}

/** The code of refusals with a list of fields, whose outcome has none. */
export const VALIDATION_FAILED = 'VALIDATION_FAILED'

/** The text of `VALIDATION_FAILED`. */
export const validationFailed = {
  message: 'The request is not valid.',
  cause:
    'The path, a header or the body is one that the gateway does not let through: a refused path, an id or tenant header that is malformed or sent twice, a body that prompt-sanitize rejects or cannot read. `errors` names each place, never the value.',
  fix: 'Correct what `errors` names.',
} as const

/** The code of an outcome: its own, or the upper-case name of its type for those without one. */
export function codeOf(outcome: Outcome): string {
  return ('code' in outcome ? outcome.code : undefined) ?? outcome.type.toUpperCase()
}

const CAUSE = /^[A-Z][A-Z0-9_]{2,63}$/
const ERROR_NAME = /^[A-Za-z]{1,64}$/
const MAX_CAUSES = 5

/**
 * The cause of an error as one word: the code of the system or of TLS (`ECONNREFUSED`), or else the name of its class.
 * Never its message, which may hold a host or a secret.
 */
export function causeOf(error: unknown): string | undefined {
  let at = error
  for (let depth = 0; depth < MAX_CAUSES && at instanceof Error; depth += 1) {
    const code: unknown = 'code' in at ? at.code : undefined
    if (typeof code === 'string' && CAUSE.test(code)) return code
    // A name with several addresses fails with one error for each.
    at = at instanceof AggregateError ? at.errors[0] : at.cause
  }
  return error instanceof Error && error.name !== 'Error' && ERROR_NAME.test(error.name)
    ? error.name
    : undefined
}

/** The outcome for a request with one invalid field. `message` must not repeat the sent value. */
export function invalidRequest(field: string, message: string): ValidationFailed {
  return { type: 'validation_failed', message: validationFailed.message, errors: [{ field, message }] }
}

/** A configuration that is valid but cannot be put to work, such as a taken port: the gateway exits with 1. */
export class InitialisationError extends Error {
  override readonly name = 'InitialisationError'
  /** The message already names the file and the place in it. */
  readonly located: boolean

  constructor(message: string, { located = false, ...options }: ErrorOptions & { located?: boolean } = {}) {
    super(message, options)
    this.located = located
  }
}
