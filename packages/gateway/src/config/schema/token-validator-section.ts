import { checkHttpUrl } from './address-checks.ts'
import { checked, filledList, flag, integer, list, oneOf, patterned, section, text } from './field-kinds.ts'

/** Signature algorithms an issuer may be configured for; HS256 only together with `hs256_secret`. */
export const ALGORITHMS = [
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

/** A claim's name, or a dotted path to it such as `realm_access.roles`. */
export const claimPath = () =>
  patterned('a claim name or a dotted path of claim names', /^[^.\s]+(?:\.[^.\s]+)*$/)

const claims = section({
  subject: claimPath().default('sub').describe('Claim that names the caller.'),
  roles: claimPath().default('roles').describe('Claim that lists the roles of the caller.'),
  // No default: without it the claim of tenant-injector applies (decision 18).
  tenant: claimPath()
    .optional()
    .describe('Claim that names the tenant; absent means the claim of tenant-injector.'),
})

// RFC 7518 3.2: a key as long as the hash, 256 bits.
const secret = () => text('a text of at least 32 characters', 32)

const issuer = section({
  issuer: text('the name of an issuer').describe('Value that the iss claim must have.'),
  jwks_uri: checked('a URL', checkHttpUrl)
    .optional()
    .describe('Where the keys are; without jwks_uri and jwks_file they are found by OIDC discovery.'),
  jwks_file: text('a file name').optional().describe('File with the keys, relative to this file.'),
  audience: list(text('an audience'))
    .default([])
    .describe('Audiences that are accepted, one of which the aud claim must name; empty means any.'),
  algorithms: filledList(oneOf(ALGORITHMS))
    .default(['RS256', 'ES256', 'EdDSA'])
    .describe('Signature algorithms that are accepted from this issuer, whatever the token says.'),
  hs256_secret: secret()
    .optional()
    .describe('Shared secret for HS256, for tests only; anyone who can check a token can also make one.'),
  token_types: filledList(text('a token type'))
    .default(['at+jwt', 'JWT'])
    .describe('Values that the typ header may have; an absent typ is accepted too.'),
  claims: claims.prefault({}).describe('Where this issuer puts subject, roles and tenant.'),
  service_account: flag()
    .default(false)
    .describe('Tokens of this issuer are service accounts: the tenant header they send is authoritative.'),
})

/** The `token-validator` section: whose tokens are accepted. */
export const tokenValidatorSection = section(
  {
    mode: oneOf(['on', 'off'])
      .default('on')
      .describe(
        '`off` accepts requests without a token: for closed networks only, with a warning on every start.',
      ),
    clock_skew_seconds: integer(0, 600).default(30).describe('Tolerance for clocks that differ.'),
    required_claims: list(claimPath()).default(['sub']).describe('Claims that every token must have.'),
    max_token_bytes: integer(64, 65_536).default(8192).describe('Longest token that is looked at.'),
    actor_header: oneOf(['trust', 'service_accounts', 'ignore'])
      .default('trust')
      .describe(
        'Whose word on the actor counts when the request names one: anyone, service accounts, nobody.',
      ),
    issuers: list(issuer).default([]).describe('Issuers whose tokens are accepted, each with its own keys.'),
  },
  'is required; a closed network may say "mode: off" in it',
)
