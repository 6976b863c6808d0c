import { noteNameFault } from '@agentic-rest/audit-log'
import { z } from 'zod'
import { ownAuditFields } from '../audit-fields.ts'
import { checkHttpUrl, checkOtlpEndpoint, checkWebhookUrl } from './address-checks.ts'
import {
  checked,
  dictionary,
  expected,
  filledList,
  flag,
  integer,
  list,
  oneOf,
  patterned,
  section,
  text,
} from './field-kinds.ts'
import {
  auditedHeaderName,
  checkSharedSecret,
  checkTimestamp,
  claimPath,
  featureName,
  HEADER_VALUE,
  issuerName,
  lookupHeaderName,
  SHORTEST_SECRET,
  tenantId,
} from './formats.ts'
import { file, secret, secretFile, shownTo } from './marks.ts'
import { checkRulePattern } from './rule-pattern.ts'

/** Signature algorithms an issuer may be configured for; HS256 only together with `hs256_secret`. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'HS256',
] as const

const claims = section({
  subject: claimPath().default('sub').describe('Claim that names the caller.'),
  roles: claimPath().default('roles').describe('Claim that lists the roles of the caller.'),
  // No default: without it the claim of tenant-injector applies (decision 18).
  tenant: claimPath()
    .optional()
    .describe('Claim that names the tenant; absent means the claim of tenant-injector.'),
})

const serviceAccounts = section({
  claim: claimPath().default('client_id').describe('Claim that tells a service account from a person.'),
  values: filledList(text('a value of the claim')).describe('Values of the claim that are service accounts.'),
  tenants: filledList(tenantId())
    .optional()
    .describe('Tenants that these service accounts may name in the header; absent means all.'),
})

const introspection = section({
  url: secret(checked('a URL', checkHttpUrl), 'parameters').describe(
    'Address that is asked about tokens (RFC 7662).',
  ),
  client_id: text('a client id').describe('Name of the gateway at this address.'),
  client_secret_file: secretFile().describe(
    'File with the secret of the gateway there, relative to this file; a newline at its end is cut.',
  ),
})

/** One entry of `token-validator.issuers`. */
export const issuer = section({
  // Every token has it.
  issuer: shownTo('everybody', issuerName()).describe('Value that the iss claim must have.'),
  jwks_uri: checked('a URL', checkHttpUrl)
    .optional()
    .describe(
      'Where the keys are; without jwks_uri, jwks_file and introspection they are found by OIDC discovery.',
    ),
  jwks_file: file().optional().describe('File with the keys, relative to this file.'),
  audience: list(text('an audience'))
    .default([])
    .describe('Audiences that are accepted, one of which the aud claim must name; empty means any.'),
  algorithms: filledList(oneOf(ALGORITHMS))
    .default(['RS256', 'ES256', 'EdDSA'])
    .describe('Signature algorithms that are accepted from this issuer; the token cannot add one.'),
  hs256_secret: secret(text(`a text of at least ${SHORTEST_SECRET} characters`, SHORTEST_SECRET))
    .optional()
    .describe('Shared secret for HS256, for tests only; anyone who can check a token can also make one.'),
  hs256_secret_file: secretFile(checkSharedSecret)
    .optional()
    .describe('File with the shared secret, relative to this file; a newline at its end is cut.'),
  introspection: introspection
    .optional()
    .describe(
      'Server that is asked about tokens that are no JWTs, and about all tokens of an issuer without jwks_uri, jwks_file and shared secret.',
    ),
  token_types: filledList(text('a token type'))
    .default(['at+jwt', 'JWT'])
    .describe('Values that the typ header may have; an absent typ is accepted too.'),
  claims: claims.prefault({}).describe('Where this issuer puts subject, roles and tenant.'),
  service_account: flag()
    .default(false)
    .describe(
      'All tokens of this issuer are service accounts: the tenant header they send is authoritative.',
    ),
  service_accounts: serviceAccounts
    .optional()
    .describe('Tokens of this issuer that are service accounts, told by a claim.'),
})

/** The `token-validator` section: the accepted issuers and their keys. */
export const tokenValidatorSection = section(
  {
    mode: oneOf(['on', 'off'])
      .default('on')
      .describe(
        '`off` accepts requests without a token: for closed networks only, with a warning on every start.',
      ),
    clock_skew_seconds: integer(0, 600).default(30).describe('Tolerance for clocks that differ.'),
    end_streams_at_expiry: flag()
      .default(false)
      .describe(
        'Whether an open stream ends with the last frame TOKEN_EXPIRED when its token expires, the tolerance for clocks included; otherwise a token counts at the start of a request only.',
      ),
    required_claims: list(claimPath()).default(['sub']).describe('Claims that every token must have.'),
    max_token_bytes: integer(64, 65_536).default(8192).describe('Longest accepted token.'),
    actor_header: oneOf(['trust', 'service_accounts', 'ignore'])
      .default('trust')
      .describe(
        'Callers whose X-Actor-Principal header is trusted: everyone, service accounts only, or none.',
      ),
    issuers: list(issuer).default([]).describe('Issuers whose tokens are accepted, each with its own keys.'),
  },
  'is required; a closed network may say "mode: off" in it',
)

const headerValue = () => patterned('a header value without control characters', HEADER_VALUE)

const checkHeaderLine = (value: string): string | undefined =>
  HEADER_VALUE.test(value) ? undefined : 'must be one line without control characters'

const listPlaceholders = (names: readonly string[]) => names.map((name) => `{${name}}`).join(' and ')

/** The options of a webhook (decisions 19 and 20): `GET url` with its placeholders filled in, answers cached. */
const webhookSection = (required: readonly string[], optional: readonly string[] = []) =>
  section({
    url: secret(checked('a URL', checkWebhookUrl(required, optional)), 'parameters').describe(
      `Address that is asked, with ${listPlaceholders(required)}${optional.length === 0 ? '' : `, and ${listPlaceholders(optional)} if wanted,`} in its path or query.`,
    ),
    timeout_ms: integer(1, 60_000).default(500).describe('How long one call may take, in milliseconds.'),
    cache_ttl_seconds: integer(0, 86_400).default(300).describe('How long a positive answer is kept.'),
    negative_ttl_seconds: integer(0, 86_400).default(30).describe('How long a negative answer is kept.'),
    cache_max_entries: integer(1, 1_000_000).default(10_000).describe('Most answers kept at a time.'),
    headers: dictionary(lookupHeaderName(), secret(headerValue(), 'named'))
      .prefault({})
      .describe(
        'Headers sent with each call, for example a credential, but none of the connection such as Host; values are never shown.',
      ),
    headers_files: dictionary(lookupHeaderName(), secretFile(checkHeaderLine))
      .prefault({})
      .describe(
        'Files with the values of further headers, relative to this file; a newline at the end is cut.',
      ),
  })

/** The `tenant-injector` section: the sources of a request's tenant (decision 18). */
const tenantInjectorSection = section({
  claim: claimPath()
    .default('tenant_id')
    .describe('Claim that names the tenant, where an issuer says nothing else.'),
  allowed: filledList(tenantId()).optional().describe('Allowed tenants, for every source; absent means all.'),
  trust_header: oneOf(['service_accounts', 'everyone'])
    .default('service_accounts')
    .describe(
      'Callers whose X-Tenant-ID alone decides the tenant, without a claim or a directory: `everyone` lets any caller into any allowed tenant.',
    ),
  webhook: webhookSection(['principal'], ['issuer'])
    .optional()
    .describe('Directory that knows the tenants of a principal.'),
})

const licence = section({
  features: list(featureName()).describe('Features the tenant has.'),
  expires_at: checked('a timestamp', checkTimestamp)
    .optional()
    .describe('When the licence ends; absent means never.'),
})

/** The `license-check` section: the features of each tenant (decision 20). */
const licenseCheckSection = section({
  tenants: dictionary(tenantId(), licence).prefault({}).describe('Licences by tenant id.'),
  webhook: webhookSection(['tenant', 'feature'])
    .optional()
    .describe('License server that is asked whether a tenant has a feature.'),
})

/** Names of the built-in rules (decision 21); prompt-sanitize has a detector for each. */
const BUILTIN_RULES = ['email', 'phone', 'credit_card', 'iban', 'us_ssn', 'ipv4', 'jwt', 'api_key'] as const

const sanitizeRule = section({
  name: patterned(
    'a rule name (1 to 64 letters, digits, ".", "_" or "-")',
    /^[A-Za-z0-9._-]{1,64}$/,
  ).describe('Name shown in the replacement and in rejections.'),
  builtin: oneOf(BUILTIN_RULES).optional().describe('Detector that comes with the gateway.'),
  // What a rule finds is often the very text that must not spread.
  regex: shownTo('operators', checked('a regular expression', checkRulePattern))
    .optional()
    .describe('Pattern that finds the text.'),
  keywords: filledList(shownTo('operators', text('a keyword')))
    .optional()
    .describe('Words that are found in upper or lower case.'),
  action: oneOf(['redact', 'reject']).default('redact').describe('Replace a match, or refuse the request.'),
  replacement: z
    .string({ error: expected('a text') })
    .optional()
    .describe('Text in place of a match; absent means [REDACTED:<name>].'),
})

/** The `prompt-sanitize` section: text that must not reach an upstream (decision 21). */
const promptSanitizeSection = section({
  max_body_bytes: integer(1, 67_108_864)
    .default(1_048_576)
    .describe('Largest body that is searched; a larger one is refused.'),
  uninspected: oneOf(['refuse', 'pass'])
    .default('refuse')
    .describe('Refuses bodies of a type that no rule can search, or passes them unsearched.'),
  rules: list(sanitizeRule)
    .default([])
    .describe('Searches and their actions; without rules bodies are not parsed.'),
})

const checkAuditField = (field: string): string | undefined => {
  if (!/^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/.test(field)) {
    return 'must be 1 to 64 letters, digits, ".", "_" or "-", not starting with a digit'
  }
  return ownAuditFields.includes(field) ? 'is written by the gateway itself and cannot be mapped' : undefined
}

const auditAttribute = section({
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

const seal = section({
  key_file: file().describe(
    'PEM file with the private key (Ed25519), relative to this file; `agentic audit keygen` makes one.',
  ),
  name: checked('the name of the log', noteNameFault).describe(
    'Name of the log in its checkpoints, for example `agents.example.com/audit/7f3c`; one log per gateway.',
  ),
})

const rotate = section({
  max_bytes: integer(65_536, 1_099_511_627_776)
    .default(104_857_600)
    .describe('Most bytes of a file; then a new one begins.'),
  daily: flag().default(true).describe('Begins a new file every day (UTC).'),
})

const anchor = section({
  url: secret(checked('a URL', checkHttpUrl), 'parameters').describe(
    'Address that every checkpoint is posted to, as text.',
  ),
})

/** The `otel-audit` section: one record per request (decisions 22 to 24). */
const otelAuditSection = section({
  enabled: flag().default(true).describe('`false` turns the plugin off.'),
  exporter: oneOf(['stdout', 'otlp', 'file'])
    .default('stdout')
    .describe('JSON lines on stdout, spans by OTLP over gRPC, or JSON lines in a file.'),
  otlp_endpoint: checked('a URL', checkOtlpEndpoint)
    .default('')
    .describe('Collector address; required for otlp.'),
  file: file({ use: 'written' })
    .optional()
    .describe('File of the exporter file, relative to this file; required for file.'),
  seal: seal.optional().describe('Seals the file: chained lines and signed checkpoints.'),
  head_file: file({ use: 'written' })
    .optional()
    .describe(
      'File of the newest checkpoint, relative to this file; beside the log by default, better on another volume. A log behind it is not continued.',
    ),
  rotate: rotate.prefault({}).describe('When the exporter file begins a new file.'),
  anchor: anchor
    .optional()
    .describe('Keeps checkpoints elsewhere; without it the holder of the key can rewrite the whole log.'),
  include_request_body: flag()
    .default(false)
    .describe(
      'Adds the body, after prompt-sanitize and cut at 1 MiB; bodies can hold personal data. The exporter file keeps it in a side file.',
    ),
  include_rejected: flag()
    .default(false)
    .describe(
      'Also records refused requests: those that an earlier plugin or an earlier step refused, and those without a route.',
    ),
  attributes: list(auditAttribute)
    .default([])
    .describe('Fields taken from a header, a claim or the route id.'),
})

/** The gateway's own plugins, in the order in which every request passes them. */
export const builtInPlugins = [
  'token-validator',
  'tenant-injector',
  'license-check',
  'prompt-sanitize',
  'otel-audit',
] as const

/** The name of one of the gateway's own plugins, which is also its key in the configuration. */
export type BuiltInName = (typeof builtInPlugins)[number]

/** The console lists the upstream as the last step, beside the plugins. */
const TAKEN_NAMES: ReadonlySet<string> = new Set([
  ...builtInPlugins,
  'route-policy',
  'rate-limits',
  'upstream',
])

const PLUGIN_NAME = /^(?=.{1,64}$)[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/

/** Returns the fault of a custom plugin's name, if it has one. */
export const checkPluginName = (name: string): string | undefined => {
  if (!PLUGIN_NAME.test(name))
    return 'must be 1 to 64 lower-case letters, digits and single hyphens, and start with a letter'
  return TAKEN_NAMES.has(name) ? 'is the name of a step of the gateway itself' : undefined
}

const checkModuleFile = (name: string): string | undefined => {
  if (/^[a-z][a-z0-9+.-]+:/i.test(name)) return 'must be a file name, not a URL'
  return /\.(?:js|mjs|ts|mts)$/.test(name) ? undefined : 'must end in .js, .mjs, .ts or .mts'
}

/** The gateway's own plugins that a custom plugin may follow; it never runs before the tenant is known (decision 41). */
export const customPlaces = [
  'tenant-injector',
  'license-check',
  'prompt-sanitize',
] as const satisfies readonly BuiltInName[]

/** One entry of `plugins.custom`. */
export const customPlugin = section({
  name: checked('the name of a plugin', checkPluginName).describe(
    'Name of the plugin, equal to the one in its module.',
  ),
  module: file({ schema: checked('a file name', checkModuleFile), use: 'loaded' }).describe(
    'ES module that exports `plugin`, relative to this file.',
  ),
  after: oneOf(customPlaces).default('prompt-sanitize').describe('Plugin of the gateway that it follows.'),
  token: flag().default(false).describe('Whether it sees the Authorization header of requests.'),
  options: secret(z.record(z.string(), z.unknown(), { error: expected('a map') }), 'unknown')
    .prefault({})
    .describe('Options of the plugin, checked by its module; values are never shown.'),
})

/** The `plugins` section; the order of its keys is not the order of the pipeline, which is fixed. */
export const pluginsSection = section(
  {
    'token-validator': tokenValidatorSection.describe('Validates the bearer token.'),
    'tenant-injector': tenantInjectorSection.prefault({}).describe('Resolves and validates the tenant.'),
    'license-check': licenseCheckSection
      .prefault({})
      .describe('Refuses routes the tenant has no licence for.'),
    'prompt-sanitize': promptSanitizeSection.prefault({}).describe('Redacts or refuses request bodies.'),
    'otel-audit': otelAuditSection.prefault({}).describe('Writes the audit record.'),
    custom: list(customPlugin)
      .optional()
      .describe('Plugins of your own, each after one of the five; several at one place run in this order.'),
  },
  'is required, with token-validator in it',
)
