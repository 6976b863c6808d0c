import { z } from 'zod'
import {
  checked,
  dictionary,
  expected,
  filledList,
  integer,
  list,
  oneOf,
  patterned,
  section,
  text,
} from './field-kinds.ts'
import { otelAuditSection } from './otel-audit-section.ts'
import { checkRulePattern } from './rule-pattern.ts'
import { tenantId } from './tenant-id.ts'
import { checkTimestamp } from './timestamp.ts'
import { claimPath, tokenValidatorSection } from './token-validator-section.ts'
import { webhookSection } from './webhook-section.ts'

/** Detectors that prompt-sanitize brings along (decision 21). */
export const BUILTIN_DETECTORS = [
  'email',
  'phone',
  'credit_card',
  'iban',
  'us_ssn',
  'ipv4',
  'jwt',
  'api_key',
] as const

/** A feature's name in a licence or on a route. */
export const featureName = () =>
  patterned('a feature name (1 to 64 letters, digits, ".", "_", ":" or "-")', /^[A-Za-z0-9._:-]{1,64}$/)

/** The `tenant-injector` section: where a request's tenant comes from (decision 18). */
export const tenantInjectorSection = section({
  claim: claimPath()
    .default('tenant_id')
    .describe('Claim that names the tenant, where an issuer says nothing else.'),
  allowed: filledList(tenantId())
    .optional()
    .describe('Tenants that are let in, whatever the source; absent means all.'),
  webhook: webhookSection('principal')
    .optional()
    .describe('Directory that knows the tenants of a principal.'),
})

const licence = section({
  features: list(featureName()).describe('Features the tenant has.'),
  expires_at: checked('a timestamp', checkTimestamp)
    .optional()
    .describe('When the licence ends; absent means never.'),
})

/** The `license-check` section: who has which feature (decision 20). */
export const licenseCheckSection = section({
  tenants: dictionary(tenantId(), licence).prefault({}).describe('Licences by tenant id.'),
  webhook: webhookSection('tenant', 'feature')
    .optional()
    .describe('License server that is asked whether a tenant has a feature.'),
})

const rule = section({
  name: patterned(
    'a rule name (1 to 64 letters, digits, ".", "_" or "-")',
    /^[A-Za-z0-9._-]{1,64}$/,
  ).describe('Name shown in the replacement and in rejections.'),
  builtin: oneOf(BUILTIN_DETECTORS).optional().describe('Detector that comes with the gateway.'),
  regex: checked('a regular expression', checkRulePattern)
    .optional()
    .describe('Pattern that finds the text.'),
  keywords: filledList(text('a keyword')).optional().describe('Words that are found in upper or lower case.'),
  action: oneOf(['redact', 'reject'])
    .default('redact')
    .describe('Replace what was found, or refuse the request.'),
  replacement: z
    .string({ error: expected('a text') })
    .optional()
    .describe('Text put in place of what was found; absent means [REDACTED:<name>].'),
})

/** The `prompt-sanitize` section: what must not reach an upstream (decision 21). */
export const promptSanitizeSection = section({
  max_body_bytes: integer(1, 67_108_864)
    .default(1_048_576)
    .describe('Largest body that is searched; a larger one is refused.'),
  rules: list(rule).default([]).describe('What to look for; without rules bodies are not parsed.'),
})

/** The `plugins` section; the order of the pipeline is fixed and not configured here. */
export const pluginsSection = section(
  {
    'token-validator': tokenValidatorSection.describe('Validates the bearer token.'),
    'tenant-injector': tenantInjectorSection.prefault({}).describe('Resolves and validates the tenant.'),
    'license-check': licenseCheckSection
      .prefault({})
      .describe('Refuses routes the tenant has no licence for.'),
    'prompt-sanitize': promptSanitizeSection.prefault({}).describe('Redacts or refuses request bodies.'),
    'otel-audit': otelAuditSection.prefault({}).describe('Writes the audit record.'),
  },
  'is required, with token-validator in it',
)
