import { headerKeys, headers, type ValidationFailed } from '@agentic-rest/profile'
import type { RouteConfig, TokenValidatorOptions } from '../../config/config-schema.ts'
import { type ErrorCode, invalidRequest, refusal } from '../../errors.ts'
import type { Exchange, Identity, StepResult } from '../../exchange.ts'
import type { Waits } from '../../limits/in-flight/load.ts'
import type { PipelineContext, PipelinePlugin, PluginPlan } from '../../plugin.ts'
import { type InspectedToken, inspectToken, invalidTokenCauses, type TokenFault } from './inspect-token.ts'
import { type ActiveToken, createOpaqueTokens, type Verdict } from './introspection.ts'
import { createIssuers, type Issuers, keySourcesOf } from './issuers.ts'
import type { KeySource } from './key-set.ts'
import { createTokenCache, type TokenCache } from './token-cache.ts'
import { isHeaderText, missingClaim, type VerifiedIdentity, verifyToken } from './verify-token.ts'

interface Validation {
  readonly options: TokenValidatorOptions
  readonly cache: TokenCache
  readonly waits: Waits
}

/** The cause of a refusal without a failed look-up: too many wait for one already. */
const TOO_MANY = 'TOO_MANY_WAITING'

// RFC 9110, section 11.4: the scheme in any case, at least one space, the credential. Tabs do not separate.
const BEARER = /^bearer +([^ ].*)$/is
const USUAL_BEARER = 'Bearer '
const BLANK = 0x20

/** Validates the bearer token; sets identity and actor (specification, Authentication; decisions 4, 5 and 17). */
export function tokenValidator(options: TokenValidatorOptions, context: PipelineContext): PipelinePlugin {
  if (options.mode === 'off') return acceptEveryone(options)
  const issuers = createIssuers(options.issuers, context)
  const cache = createTokenCache(context.configVersion)
  const rules = { issuers, clockSkewSeconds: options.clock_skew_seconds }
  const opaque = createOpaqueTokens({ issuers, options }, context)
  return {
    name: 'token-validator',
    request(exchange) {
      const token = readBearerToken(exchange.headers[headerKeys.authorization])
      if (token === undefined) return refusal('MISSING_TOKEN')
      if (token.length > options.max_token_bytes) return refuseToken(exchange, 'TOO_LONG')
      const identity = cache.get(token)
      if (identity !== undefined) return admit(exchange, identity, options)
      const verdict = opaque?.judge(token)
      if (verdict !== undefined) return admitJudged(exchange, verdict, options)
      const inspected = inspectToken(token, rules)
      if (typeof inspected === 'string') {
        if (inspected === 'REQUIRED_CLAIM_MISSING') exchange.rule = 'exp'
        return refuseToken(exchange, inspected)
      }
      return validate(exchange, inspected, { options, cache, waits: context.waits })
    },
    plan: (route) => planTokenValidator(options, route),
    degraded: () => describeStaleIssuers(issuers) ?? opaque?.degraded(),
    cause: () => opaque?.cause() ?? TOO_MANY,
    warm: async () => void (await Promise.all(allKeys(issuers).map((keys) => keys.warm()))),
    close: async () => allKeys(issuers).forEach((keys) => void keys.close()),
  }
}

/** Mode off: every request passes without an identity, so a route with roles stays closed. */
function acceptEveryone(options: TokenValidatorOptions): PipelinePlugin {
  return {
    name: 'token-validator',
    request: (exchange) => admit(exchange, undefined, options),
    plan: (route) => planTokenValidator(options, route),
  }
}

/** Whether a route needs a token, and from which issuer. */
export function planTokenValidator(
  { mode, issuers }: TokenValidatorOptions,
  { roles }: RouteConfig,
): PluginPlan {
  const listed = `${roles.length === 1 ? 'role' : 'roles'} ${roles.join(', ')}`
  if (mode === 'on') {
    const issuer = issuers.length === 1 ? 'the issuer' : `one of ${issuers.length} issuers`
    return { runs: true, why: `wants a token of ${issuer}${roles.length === 0 ? '' : ` with ${listed}`}` }
  }
  if (roles.length === 0) return { runs: false, why: 'its mode is off' }
  return { runs: true, why: `refuses everybody: its mode is off and the route wants ${listed}` }
}

/** The credential of an `Authorization` header; `undefined` when it is absent or of another scheme. */
function readBearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined
  const { length } = USUAL_BEARER
  // The usual spelling, without the time for a regular expression.
  if (authorization.startsWith(USUAL_BEARER) && authorization.length > length)
    if (authorization.charCodeAt(length) !== BLANK) return authorization.slice(length)
  return BEARER.exec(authorization)?.[1]
}

function admitJudged(
  exchange: Exchange,
  verdict: Verdict | Promise<Verdict>,
  options: TokenValidatorOptions,
): StepResult | Promise<StepResult> {
  if (verdict instanceof Promise) return verdict.then((settled) => admitJudged(exchange, settled, options))
  if (typeof verdict !== 'string') return admit(exchange, verdict.identity, options)
  return refuseToken(exchange, verdict === 'inactive' ? 'NOT_ACTIVE' : verdict)
}

const INVALID: ReadonlySet<string> = new Set(invalidTokenCauses)

/** The caller sees the code; the cause of an invalid token is for the operator. */
function refuseToken(exchange: Exchange, fault: TokenFault): StepResult {
  if (!INVALID.has(fault)) return refusal(fault as ErrorCode)
  exchange.cause = fault
  return refusal('INVALID_TOKEN')
}

function identityOf({ identity, lifetime }: ActiveToken, options: TokenValidatorOptions): Identity {
  return options.end_streams_at_expiry ? { ...identity, streamsEndAt: lifetime.endsAt } : identity
}

function validate(
  exchange: Exchange,
  inspected: InspectedToken,
  validation: Validation,
): StepResult | Promise<StepResult> {
  const { options, waits } = validation
  const waiter = { started: () => waits.waitStarted(exchange), ended: () => waits.waitEnded(exchange) }
  const verified = verifyToken(inspected, options.required_claims, waiter)
  if (verified instanceof Promise)
    return verified.then((settled) => admitVerified(exchange, { inspected, verified: settled }, validation))
  return admitVerified(exchange, { inspected, verified }, validation)
}

interface Verified {
  readonly inspected: InspectedToken
  readonly verified: VerifiedIdentity | TokenFault
}

function admitVerified(
  exchange: Exchange,
  { inspected, verified }: Verified,
  { options, cache }: Validation,
): StepResult {
  const { token, claims, issuer, keys, lifetime } = inspected
  if (typeof verified === 'string') {
    if (verified === 'JWKS_UNAVAILABLE') exchange.cause = keys.cause?.() ?? TOO_MANY
    if (verified === 'REQUIRED_CLAIM_MISSING')
      exchange.rule = missingClaim(claims, issuer, options.required_claims)
    return refuseToken(exchange, verified)
  }
  const identity = identityOf({ identity: verified.identity, lifetime }, options)
  cache.set(token, { identity, lifetime, keys, keysVersion: verified.keysVersion })
  return admit(exchange, identity, options)
}

function admit(
  exchange: Exchange,
  identity: Identity | undefined,
  { actor_header: trust }: TokenValidatorOptions,
): StepResult {
  // For every request: the token may be cached, but the certificate is the connection's.
  if (identity?.boundTo !== undefined && identity.boundTo !== exchange.certificateDigest)
    return refuseToken(exchange, identity.boundTo === '' ? 'UNCHECKED_BINDING' : 'OTHER_CERTIFICATE')
  exchange.identity = identity
  exchange.actor = identity?.subject ?? ''
  const actor = resolveActor(exchange, trust)
  if (typeof actor !== 'string') return actor
  exchange.actor = actor
  return hasRoles(exchange) ? undefined : refusal('INSUFFICIENT_ROLES')
}

/** The actor is the principal header where it is trusted, else the subject of the token (decision 17). */
function resolveActor(
  { headers: sent, identity }: Exchange,
  trust: TokenValidatorOptions['actor_header'],
): string | ValidationFailed {
  const subject = identity?.subject ?? ''
  if (trust === 'ignore') return subject
  if (trust === 'service_accounts' && identity?.serviceAccount !== true) return subject
  const principal = sent[headerKeys.actorPrincipal]
  if (principal === undefined || principal === '') return subject
  if (isHeaderText(principal)) return principal
  return invalidRequest(headers.actorPrincipal, 'must be 1 to 256 printable ASCII characters')
}

function hasRoles({ route, identity }: Exchange): boolean {
  const needed = route?.roles ?? []
  return needed.every((role) => identity?.roles.includes(role) === true)
}

function allKeys(issuers: Issuers): KeySource[] {
  return [...issuers.values()].flatMap((issuer) => [...keySourcesOf(issuer)])
}

/** By position: `/readyz` answers anybody, who need not learn the issuers' names. */
function describeStaleIssuers(issuers: Issuers): string | undefined {
  const stale = [...issuers.values()].flatMap((issuer, index) =>
    [...keySourcesOf(issuer)].some((keys) => !keys.isFresh()) ? [`issuers[${index}]`] : [],
  )
  return stale.length === 0 ? undefined : `no fresh keys of ${stale.join(', ')}`
}
