/** The fields of the audit record with a configurable source. */
export const mappableFields = [
  'tenant_id',
  'actor_id',
  'request_id',
  'correlation_id',
  'operation',
  'resource_id',
] as const

/** A field with a configurable source. */
export type MappableField = (typeof mappableFields)[number]

/**
 * The fields and attributes that only the gateway writes: mapped from a client's header, a caller could forge or hide them
 * (decisions 17 and 22).
 */
export const ownAuditFields: readonly string[] = [
  'event_type',
  'outcome',
  'timestamp',
  'attributes',
  'request_body',
  'token_sub',
  'issuer',
  'policy',
  'limit',
  'usage_input',
  'usage_output',
  'cost_micro',
  'outcome_type',
  'status',
  'code',
  'rule',
  'cause',
  'step',
  'client_address',
  'upstream',
  'profile_violations',
  'replayed',
  'redacted',
  'via',
  'mcp_tool',
  'mcp_version',
  'mcp_client',
  'mcp_round',
]
