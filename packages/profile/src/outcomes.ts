/** The profile version of this table; the value of the profile header. */
export const PROFILE_VERSION = 'v0.3'

/** Every version with a schema set, oldest first. Earlier sets are frozen (Versioning, rule 3). */
export const profileVersions = ['v0.1', 'v0.2', 'v0.3'] as const

/** A version with a schema set. */
export type ProfileVersion = (typeof profileVersions)[number]

/** The prefix of all media types of the profile. */
export const VENDOR_PREFIX = 'application/vnd.agentic.'

const JSON_TYPE = 'application/json'

/**
 * The normative table: each outcome type with its status, its media type and the schema of its body.
 * `schema: null` marks the two bodies that the service defines.
 */
export const outcomes = {
  success: { status: 200, mediaType: JSON_TYPE, schema: null },
  created: { status: 201, mediaType: JSON_TYPE, schema: null },
  accepted: { status: 202, mediaType: `${VENDOR_PREFIX}operation+json`, schema: 'operation' },
  clarification_required: {
    status: 400,
    mediaType: `${VENDOR_PREFIX}clarification+json`,
    schema: 'clarification',
  },
  validation_failed: {
    status: 422,
    mediaType: `${VENDOR_PREFIX}validation-error+json`,
    schema: 'validation-error',
  },
  approval_required: {
    status: 412,
    mediaType: `${VENDOR_PREFIX}approval-required+json`,
    schema: 'approval-required',
  },
  forbidden: { status: 403, mediaType: `${VENDOR_PREFIX}error+json`, schema: 'error' },
  conflict: { status: 409, mediaType: `${VENDOR_PREFIX}conflict+json`, schema: 'conflict' },
  failed_dependency: { status: 424, mediaType: `${VENDOR_PREFIX}error+json`, schema: 'error' },
  error: { status: 500, mediaType: `${VENDOR_PREFIX}error+json`, schema: 'error' },
} as const

/** The name of one of the ten outcomes. */
export type OutcomeType = keyof typeof outcomes

/** The name of one of the six body shapes, which is also its schema's file name. */
export type SchemaName = Exclude<(typeof outcomes)[OutcomeType]['schema'], null>

/** The ten outcome types, in the order of the table. */
export const outcomeTypes = Object.keys(outcomes) as readonly OutcomeType[]

const typeByStatus = new Map<number, OutcomeType>(outcomeTypes.map((type) => [outcomes[type].status, type]))

/** The outcome type of a status. */
export function outcomeTypeOf(status: number): OutcomeType | undefined {
  return typeByStatus.get(status)
}

/**
 * HTTP conditions outside the ten outcomes. They have the generic error body with `type: "error"` and their own status,
 * so that ordinary HTTP clients understand them.
 */
export const conditions = {
  unauthenticated: 401,
  not_found: 404,
  method_not_allowed: 405,
  too_large: 413,
  limit_exceeded: 429,
  unavailable: 503,
} as const

/** The name of an HTTP condition outside the ten outcomes. */
export type Condition = keyof typeof conditions

const conditionByStatus = new Map<number, Condition>(
  (Object.keys(conditions) as Condition[]).map((name) => [conditions[name], name]),
)

/** The condition of a status outside the ten outcomes. */
export function conditionOf(status: number): Condition | undefined {
  return conditionByStatus.get(status)
}

/** Statuses for malformed HTTP. Their answers have no body, because there is no request yet. */
export const malformedStatuses = {
  badRequest: 400,
  requestTimeout: 408,
  contentTooLarge: 413,
  uriTooLong: 414,
  headersTooLarge: 431,
} as const
