import { headers } from '@agentic-rest/profile'
import { decodeProtectedHeader, type JWTPayload, jwtVerify } from 'jose'
import { endWith, goOn, type Step } from '../answer.ts'
import type { Identity } from '../http/caller.ts'
import { type OwnEnd, originsOf } from '../http/own-hosts.ts'
import type { Log } from '../log.ts'
import { refusal } from '../refusals.ts'
import { isStorable } from '../runtime/key-text.ts'
import {
  faultOfKeys,
  type JsonWebKeySet,
  type KeyAlgorithm,
  type KeySet,
  remoteKeySet,
  staticKeySet,
  usableKeys,
} from './key-set.ts'

interface TrustedIssuer {
  /** The `issuer` of the gateway's `identity`; `agentic-gateway` unless it says otherwise. */
  readonly issuer: string
  /**
   * The accepted audiences: origins of the gateway's targets. By default the address and port at which a request arrives. Set
   * it where the gateway's target has a name, and behind a proxy.
   */
  readonly audience?: string | readonly string[]
}

/** The gateway whose signed identities a service believes, with the URL of its keys or the keys themselves. */
export type TrustOptions = TrustedIssuer & ({ readonly jwksUrl: string } | { readonly jwks: JsonWebKeySet })

/** Reads the signed identity of requests. */
export interface Trust {
  /** A cached token is answered without a promise. */
  identify(
    request: Pick<Request, 'headers'>,
    end: OwnEnd | undefined,
  ): Step<Identity> | Promise<Step<Identity>>
}

const TOKEN_TYPE = 'agentic-identity+jwt'
const ALGORITHMS: ReadonlySet<string> = new Set<KeyAlgorithm>(['EdDSA', 'ES256'])
// The clocks of gateway and service may differ by this much.
const CLOCK_SKEW_SECONDS = 30
const MAX_TOKEN_LENGTH = 16_384
// The gateway signs once a second for each caller and target, so most requests repeat a token.
const MAX_CACHED = 4_096

interface Verified {
  readonly identity: Identity
  readonly audiences: readonly string[]
  /** By the clock, in milliseconds. */
  readonly until: number
}

/** The means of a trust. */
interface TrustParts {
  readonly fetch: typeof fetch
  readonly log: Log
}

/** Creates the trust in a gateway; throws for options that cannot work. */
export function createTrust(options: TrustOptions, { fetch, log }: TrustParts): Trust {
  assertOptions(options)
  const keys = keysOf(options, { fetch, log })
  const { issuer } = options
  const wanted = options.audience === undefined ? undefined : [options.audience].flat()
  const cache = new Map<string, Verified>()

  const admit = ({ identity, audiences }: Verified, own: readonly string[]): Step<Identity> => {
    if (audiences.some((audience) => own.includes(audience))) return goOn(identity)
    // Without a socket there is nothing to compare with: the header Host is the caller's own word.
    const cause =
      own.length === 0 ? 'the socket is not known, set trust.audience' : 'it is for another audience'
    log.warn('an identity was refused', { cause })
    return endWith(refusal('IDENTITY_INVALID'))
  }
  const verifyNew = async (token: string, own: readonly string[]): Promise<Step<Identity>> => {
    const verified = await verify(token, { keys, issuer })
    if (typeof verified === 'string') {
      log.warn('an identity was refused', { cause: verified })
      return endWith(refusal(verified === UNAVAILABLE ? 'IDENTITY_KEYS_UNAVAILABLE' : 'IDENTITY_INVALID'))
    }
    keep(cache, token, verified)
    return admit(verified, own)
  }
  return {
    identify({ headers: sent }, end) {
      const token = sent.get(headers.agenticIdentity)
      if (token === null || token === '') return endWith(refusal('IDENTITY_REQUIRED'))
      const own = wanted ?? (end === undefined ? [] : originsOf(end))
      const known = cache.get(token)
      return known !== undefined && known.until > Date.now() ? admit(known, own) : verifyNew(token, own)
    },
  }
}

function assertOptions(options: TrustOptions): void {
  if (options.issuer === '') throw new TypeError('trust.issuer must not be empty')
  if ('jwksUrl' in options === 'jwks' in options)
    throw new TypeError('trust needs either jwksUrl or jwks, and not both')
  if ('jwksUrl' in options && !/^https?:$/.test(URL.parse(options.jwksUrl)?.protocol ?? ''))
    throw new TypeError('trust.jwksUrl has to be an absolute http or https URL')
  if ([options.audience ?? 'any'].flat().some((audience) => audience === ''))
    throw new TypeError('trust.audience must not be empty')
}

function keysOf(options: TrustOptions, parts: TrustParts): KeySet {
  if ('jwksUrl' in options) return remoteKeySet({ url: options.jwksUrl, ...parts })
  const fault = faultOfKeys(options.jwks)
  if (fault !== undefined) throw new TypeError(`trust.jwks ${fault}`)
  return staticKeySet(usableKeys(options.jwks))
}

/** The oldest entry goes first: its token expires first. */
function keep(cache: Map<string, Verified>, token: string, verified: Verified): void {
  cache.delete(token)
  cache.set(token, verified)
  const [oldest] = cache.keys()
  if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest)
}

const UNAVAILABLE = 'there are no keys'

interface Verification {
  readonly keys: KeySet
  readonly issuer: string
}

/** Verifies everything but the audience, which depends on the connection; a text is the reason of a refusal, for the log. */
async function verify(token: string, { keys, issuer }: Verification): Promise<Verified | string> {
  if (token.length > MAX_TOKEN_LENGTH) return 'it is too long'
  try {
    const { alg = '', kid } = decodeProtectedHeader(token)
    if (!ALGORITHMS.has(alg)) return 'its algorithm is not allowed'
    const found = await keys.find({ kid, alg: alg as KeyAlgorithm })
    if (found.kind === 'unavailable') return UNAVAILABLE
    if (found.kind === 'unknown') return 'its key is not known'
    const { payload } = await jwtVerify(token, found.key, {
      algorithms: [alg],
      typ: TOKEN_TYPE,
      issuer,
      clockTolerance: CLOCK_SKEW_SECONDS,
      requiredClaims: ['iss', 'aud', 'exp'],
    })
    return readPayload(payload)
  } catch (cause) {
    return cause instanceof Error ? cause.message : 'it cannot be read'
  }
}

function readPayload(payload: JWTPayload): Verified | string {
  const { sub, act_iss: issuer, tenant, actor, roles = [], bsha, aud = [], exp = 0 } = payload
  const texts = { sub, act_iss: issuer, tenant, actor, bsha }
  const wrong = Object.entries(texts).find(([, value]) => value !== undefined && !isName(value))
  if (wrong !== undefined) return `its ${wrong[0]} is no text of 1 to 512 bytes`
  if (!Array.isArray(roles) || !roles.every((role) => typeof role === 'string'))
    return 'its roles are no list of texts'
  return {
    identity: {
      tenant: text(tenant),
      subject: text(sub),
      issuer: text(issuer),
      actor: text(actor),
      roles,
      bodyDigest: text(bsha),
    },
    audiences: [aud].flat(),
    until: (exp + CLOCK_SKEW_SECONDS) * 1000,
  }
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && isStorable(value)
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
