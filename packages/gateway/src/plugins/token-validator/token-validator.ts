import { headerKeys } from '@agentic-rest/profile'
import type { TokenValidatorOptions } from '../../config/config-schema.ts'
import { type ErrorCode, refusal } from '../../errors.ts'
import type { Exchange, Identity, StepResult } from '../../exchange.ts'
import type { Plugin, PluginContext } from '../../plugin.ts'
import { readBearerToken } from './bearer-token.ts'
import { type InspectedToken, inspectToken } from './inspect-token.ts'
import { createIssuers, type Issuers, keySourcesOf } from './issuers.ts'
import type { KeySource } from './key-source.ts'
import { readIdentity } from './read-identity.ts'
import { resolveActor } from './resolve-actor.ts'
import { createTokenCache, type TokenCache } from './token-cache.ts'
import { verifySignature } from './verify-signature.ts'

/** Validates the bearer token and says who acts (specification, Authentication; decisions 4, 5 and 17). */
export function tokenValidator(options: TokenValidatorOptions, context: PluginContext): Plugin {
  if (options.mode === 'off') return createOpenDoor(options)
  const issuers = createIssuers(options.issuers, context)
  const cache = createTokenCache(context.configVersion)
  const rules = { issuers, clockSkewSeconds: options.clock_skew_seconds }
  return {
    name: 'token-validator',
    request(exchange) {
      const token = readBearerToken(exchange.headers[headerKeys.authorization])
      if (token === undefined) return refusal('MISSING_TOKEN')
      if (token.length > options.max_token_bytes) return refusal('INVALID_TOKEN')
      const identity = cache.get(token)
      if (identity !== undefined) return admit(exchange, identity, options)
      const inspected = inspectToken(token, rules)
      if (typeof inspected === 'string') return refusal(inspected)
      return admitVerified(exchange, identify(inspected, options, cache), options)
    },
    degraded: () => describeStaleIssuers(issuers),
    warm: async () => void (await Promise.all(allKeys(issuers).map((keys) => keys.warm()))),
    close: async () => allKeys(issuers).forEach((keys) => void keys.close()),
  }
}

function allKeys(issuers: Issuers): KeySource[] {
  return [...issuers.values()].flatMap((issuer) => [...keySourcesOf(issuer)])
}

/** Mode off: anyone may pass, but nobody is anyone, so a route that needs roles stays shut. */
function createOpenDoor(options: TokenValidatorOptions): Plugin {
  return { name: 'token-validator', request: (exchange) => admit(exchange, undefined, options) }
}

/** Signature first: what the claims must say is told only to who can sign. */
async function identify(
  inspected: InspectedToken,
  options: TokenValidatorOptions,
  cache: TokenCache,
): Promise<Identity | ErrorCode> {
  const signature = await verifySignature(inspected)
  if (typeof signature === 'string') return signature
  const { token, claims, issuer, keys, lifetime } = inspected
  const identity = readIdentity(claims, issuer, options.required_claims)
  if (typeof identity === 'string') return identity
  cache.set(token, { identity, lifetime, keys, keysVersion: signature.keysVersion })
  return identity
}

async function admitVerified(
  exchange: Exchange,
  verification: Promise<Identity | ErrorCode>,
  options: TokenValidatorOptions,
): Promise<StepResult> {
  const identity = await verification
  return typeof identity === 'string' ? refusal(identity) : admit(exchange, identity, options)
}

function admit(
  exchange: Exchange,
  identity: Identity | undefined,
  { actor_header: trust }: TokenValidatorOptions,
): StepResult {
  exchange.identity = identity
  exchange.actor = identity?.subject ?? ''
  const actor = resolveActor(exchange, trust)
  if (typeof actor !== 'string') return actor
  exchange.actor = actor
  return hasRoles(exchange) ? undefined : refusal('INSUFFICIENT_ROLES')
}

function hasRoles({ route, identity }: Exchange): boolean {
  const needed = route?.config.roles ?? []
  return needed.every((role) => identity?.roles.includes(role) === true)
}

function describeStaleIssuers(issuers: Issuers): string | undefined {
  const stale = [...issuers.values()].filter((issuer) =>
    [...keySourcesOf(issuer)].some((keys) => !keys.isFresh()),
  )
  if (stale.length === 0) return undefined
  return `no fresh keys of ${stale.map(({ name }) => name).join(', ')}`
}
