import { z } from 'zod'
import { checkOtlpEndpoint } from './address-checks.ts'
import { checked, expected, flag, list, oneOf, section } from './field-kinds.ts'
import { auditedHeaderName } from './header-name.ts'
import { claimPath } from './token-validator-section.ts'

// Written by the gateway itself: a mapping from a client's header would let a caller forge or hide them (decisions 17 and 22).
const RESERVED_AUDIT_FIELDS = [
  'event_type',
  'outcome',
  'timestamp',
  'attributes',
  'request_body',
  'token_sub',
  'outcome_type',
  'profile_violations',
]

const checkAuditField = (field: string): string | undefined => {
  if (!/^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/.test(field)) {
    return 'must be 1 to 64 letters, digits, ".", "_" or "-", not starting with a digit'
  }
  return RESERVED_AUDIT_FIELDS.includes(field)
    ? 'is written by the gateway itself and cannot be mapped'
    : undefined
}

const attribute = section({
  field: checked('a field name', checkAuditField).describe('Field of the audit record that is set.'),
  from_header: auditedHeaderName()
    .optional()
    .describe('Request header the value is taken from; none that carries a secret.'),
  from_claim: claimPath().optional().describe('Token claim the value is taken from.'),
  from_route_id: z
    .literal(true, { error: expected('true') })
    .optional()
    .describe('Takes the id of the route.'),
})

/** The `otel-audit` section: one record per request (decisions 22 to 24). */
export const otelAuditSection = section({
  enabled: flag().default(true).describe('`false` turns the plugin off.'),
  exporter: oneOf(['stdout', 'otlp'])
    .default('stdout')
    .describe('JSON lines on stdout, or spans by OTLP over gRPC.'),
  otlp_endpoint: checked('a URL', checkOtlpEndpoint)
    .default('')
    .describe('Collector address; required for otlp.'),
  include_request_body: flag()
    .default(false)
    .describe('Adds the body, after prompt-sanitize and cut at 1 MiB; bodies can hold personal data.'),
  include_rejected: flag().default(false).describe('Also records requests that an earlier plugin refused.'),
  attributes: list(attribute).default([]).describe('Fields taken from a header, a claim or the route id.'),
})
