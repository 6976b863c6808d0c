import { hash } from 'node:crypto'
import { headers, outcomes } from '@agentic-rest/profile'
import { LRUCache } from 'lru-cache'
import type { TokenValidatorOptions } from '../../config/config-schema.ts'
import type { Identity } from '../../exchange.ts'
import type { PipelineContext } from '../../plugin.ts'
import { HttpLookupError } from '../../upstream/http-client.ts'
import { createCachedLookup, createHealth } from '../../upstream/webhook-lookup.ts'
import {
  decodeToken,
  type JsonObject,
  type Lifetime,
  lifetimeFault,
  parseObject,
  readLifetime,
  type TokenFault,
  typeFault,
} from './inspect-token.ts'
import type { IntrospectionServer } from './introspection-server.ts'
import type { Issuer, Issuers } from './issuers.ts'
import { readIdentity } from './verify-token.ts'

/** The bounds of introspection, for each issuer. */
export const introspectionPolicy = {
  /** How long an answer about an active token is kept, unless the token expires before. */
  activeMs: 60_000,
  /** How long a refusal is kept. */
  refusedMs: 10_000,
  maxActive: 10_000,
  /** Separate, so that invented tokens push no active one out. */
  maxRefused: 10_000,
  /** Questions under way at a time; tokens beyond them are `INTROSPECTION_UNAVAILABLE` at once. */
  maxUnderWay: 64,
  timeoutMs: 2_000,
} as const

/** The caller behind an active token. */
export interface ActiveToken {
  readonly identity: Identity
  readonly lifetime: Lifetime
}

/** The verdict on a token: its caller, `inactive` when the issuer does not know it, or the code of its fault. */
export type Verdict = ActiveToken | 'inactive' | TokenFault

/** Asks one issuer about tokens (RFC 7662). */
export interface Introspection {
  /** A kept verdict at once, otherwise a promise that never rejects. */
  judge(token: string): Verdict | Promise<Verdict>
  /** The fault of the last answer, if it had one. */
  degraded(): string | undefined
  /** The same as one word. */
  cause(): string | undefined
}

/** What the claims of an answer are judged by. */
export interface IntrospectionRules {
  readonly issuer: Issuer
  /** Its position in the configuration: the name in messages. */
  readonly index: number
  readonly server: IntrospectionServer
  readonly requiredClaims: readonly string[]
  readonly clockSkewSeconds: number
  readonly endStreamsAtExpiry: boolean
}

/** Makes the introspection of one issuer. A token is kept as a digest, and asked about once at a time. */
export function createIntrospection(
  rules: IntrospectionRules,
  { http, log }: Pick<PipelineContext, 'http' | 'log'>,
): Introspection {
  const { server, index } = rules
  const { activeMs, refusedMs, maxActive, maxRefused, maxUnderWay, timeoutMs } = introspectionPolicy
  const health = createHealth(`the introspection of issuers[${index}]`, log)
  const refused = new LRUCache<string, 'inactive' | TokenFault>({
    max: maxRefused,
    ttl: refusedMs,
    ttlResolution: 0,
    perf: performance,
  })
  let underWay = 0
  const fetchAnswer = async (token: string): Promise<JsonObject | undefined> => {
    try {
      const answer = readAnswer(
        await http.post(server.url, {
          timeoutMs,
          repeatLost: true,
          headers: {
            [headers.authorization]: server.authorization,
            Accept: 'application/json',
            [headers.contentType]: 'application/x-www-form-urlencoded',
          },
          body: new URLSearchParams({ token, token_type_hint: 'access_token' }).toString(),
        }),
      )
      health.note(answer === undefined ? 'invalid_answer' : undefined)
      return answer
    } catch (error) {
      health.note(error instanceof HttpLookupError ? error.reason : 'failed', error)
      return undefined
    }
  }
  const ask = async ({ token, key }: Question): Promise<ActiveToken | Refused | undefined> => {
    if (underWay >= maxUnderWay) return undefined
    underWay += 1
    const answer = await fetchAnswer(token)
    underWay -= 1
    if (answer === undefined) return undefined
    const verdict = judgeAnswer(answer, rules)
    if (typeof verdict !== 'string') return verdict
    refused.set(key, verdict)
    return { refused: verdict }
  }
  const active = createCachedLookup<Question, ActiveToken | Refused>({
    keyOf: ({ key }) => key,
    ask,
    keepMs: (verdict) => ('refused' in verdict ? 0 : keptMs(verdict, rules.clockSkewSeconds, activeMs)),
    maxEntries: maxActive,
  })
  return {
    judge(token) {
      const key = hash('sha256', token, 'base64url')
      const known = refused.get(key)
      if (known !== undefined) return known
      const found = active.find({ token, key })
      return found instanceof Promise ? found.then(verdictOf) : verdictOf(found)
    },
    degraded: health.degraded,
    cause: health.cause,
  }
}

interface Question {
  readonly token: string
  readonly key: string
}

interface Refused {
  readonly refused: 'inactive' | TokenFault
}

function verdictOf(found: ActiveToken | Refused | undefined): Verdict {
  if (found === undefined) return 'INTROSPECTION_UNAVAILABLE'
  if ('refused' in found) return found.refused
  // The clock may have been set since the answer came.
  return lifetimeFault(found.lifetime, Date.now()) ?? found
}

/** Never beyond `exp` itself: the clock skew is a tolerance for the check, not a longer life. */
function keptMs({ lifetime }: ActiveToken, skewSeconds: number, most: number): number {
  return Math.min(most, lifetime.endsAt - skewSeconds * 1000 - Date.now())
}

/** An answer of RFC 7662, section 2.2; `undefined` for anything else, also for a refused credential of the gateway. */
function readAnswer({ status, body }: { status: number; body: Buffer }): JsonObject | undefined {
  if (status !== outcomes.success.status) return undefined
  try {
    const answer = parseObject(body.toString('utf8'))
    return typeof answer?.['active'] === 'boolean' ? answer : undefined
  } catch {
    return undefined
  }
}

// RFC 7662, section 2.1: the hint does not bind the server, which may call a refresh token active too. Its kind is in
// `token_type`, in `token_use` (Ory) or in `typ` (Keycloak).
const KIND_MEMBERS = ['token_type', 'token_use', 'typ'] as const
const OTHER_KIND = /^(?:refresh|offline|id)(?:[-_ ]?token)?$/i

/** Checks the claims of an answer like those of a JWT. `iss` may be absent: the issuer itself has answered. */
export function judgeAnswer(
  answer: JsonObject,
  {
    issuer,
    requiredClaims,
    clockSkewSeconds,
    endStreamsAtExpiry,
  }: Omit<IntrospectionRules, 'index' | 'server'>,
): Verdict {
  if (answer['active'] !== true) return 'inactive'
  if (answer['iss'] !== undefined && answer['iss'] !== issuer.name) return 'UNKNOWN_ISSUER'
  if (KIND_MEMBERS.some((member) => OTHER_KIND.test(String(answer[member])))) return 'WRONG_TYPE'
  const lifetime = readLifetime(answer, clockSkewSeconds)
  if (typeof lifetime === 'string') return lifetime
  const fault = lifetimeFault(lifetime, Date.now())
  if (fault !== undefined) return fault
  const identity = readIdentity(answer, issuer, requiredClaims)
  if (typeof identity === 'string') return identity
  // Made once for a kept verdict: the signed identity of a caller is cached by this object.
  const ending = endStreamsAtExpiry && { streamsEndAt: lifetime.endsAt }
  return { identity: { ...identity, ...ending }, lifetime }
}

// RFC 6750, section 2.1. Anything else is no token of any issuer.
const OPAQUE_TOKEN = /^[A-Za-z0-9._~+/-]+=*$/

/** Asks the issuers in their order until one knows the token. An issuer that is away spoils no token of another. */
export function introspect(token: string, issuers: readonly Introspection[]): Verdict | Promise<Verdict> {
  if (!OPAQUE_TOKEN.test(token)) return 'MALFORMED'
  return askFrom(0, 'NOT_ACTIVE', { token, issuers })
}

interface Asking {
  readonly token: string
  readonly issuers: readonly Introspection[]
}

/** `otherwise` is the verdict when no further issuer knows the token. */
function askFrom(index: number, otherwise: TokenFault, asking: Asking): Verdict | Promise<Verdict> {
  const verdict = asking.issuers[index]?.judge(asking.token)
  if (verdict === undefined) return otherwise
  const decide = (settled: Verdict): Verdict | Promise<Verdict> => {
    if (settled === 'inactive') return askFrom(index + 1, otherwise, asking)
    if (!isOpen(settled)) return settled
    // An issuer that is away may know the token, whatever the others say.
    return askFrom(index + 1, otherwise === 'INTROSPECTION_UNAVAILABLE' ? otherwise : settled, asking)
  }
  return verdict instanceof Promise ? verdict.then(decide) : decide(verdict)
}

/** Whether the next issuer may know the token: this one is away, or it names another one, whose server it shares. */
function isOpen(verdict: Verdict): verdict is 'INTROSPECTION_UNAVAILABLE' | 'UNKNOWN_ISSUER' {
  return verdict === 'INTROSPECTION_UNAVAILABLE' || verdict === 'UNKNOWN_ISSUER'
}

/** The tokens that only their issuers can judge. */
export interface OpaqueTokens {
  /** The verdict on a token; `undefined` for a JWT that is checked with keys. */
  judge(token: string): Verdict | Promise<Verdict> | undefined
  /** The faults of the servers, if there are any. */
  degraded(): string | undefined
  /** The cause of the first fault, as one word. */
  cause(): string | undefined
}

/** Makes the introspection of all issuers that have a server; `undefined` when none has one. */
export function createOpaqueTokens(
  { issuers, options }: { readonly issuers: Issuers; readonly options: TokenValidatorOptions },
  context: Pick<PipelineContext, 'http' | 'log'>,
): OpaqueTokens | undefined {
  const rules = {
    requiredClaims: options.required_claims,
    clockSkewSeconds: options.clock_skew_seconds,
    endStreamsAtExpiry: options.end_streams_at_expiry,
  }
  const servers = new Map<string, Introspection>()
  for (const [index, issuer] of [...issuers.values()].entries()) {
    const { introspectionServer: server, name } = issuer
    if (server !== undefined)
      servers.set(name, createIntrospection({ ...rules, issuer, index, server }, context))
  }
  if (servers.size === 0) return undefined
  const all = [...servers.values()]
  return {
    judge(token) {
      const decoded = decodeToken(token)
      if (decoded === undefined) return introspect(token, all)
      // A JWT names its issuer. Only one without keys is asked about it.
      const { iss } = decoded.claims
      const issuer = typeof iss === 'string' ? issuers.get(iss) : undefined
      if (issuer === undefined || issuer.keys.size > 0) return undefined
      const otherType = typeFault(decoded, issuer)
      if (otherType !== undefined) return otherType
      const server = servers.get(issuer.name)
      return server && introspect(token, [server])
    },
    degraded() {
      const faults = all.flatMap((server) => server.degraded() ?? [])
      return faults.length === 0 ? undefined : faults.join('; ')
    },
    cause: () => all.flatMap((server) => server.cause() ?? [])[0],
  }
}
