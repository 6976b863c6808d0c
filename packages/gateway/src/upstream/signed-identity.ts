import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign,
  type webcrypto,
} from 'node:crypto'
import type { GatewayConfig } from '../config/config-schema.ts'
import { readNamedFile } from '../config/read-files.ts'
import { InitialisationError } from '../errors.ts'
import type { Exchange } from '../exchange.ts'

/** The options of the signed identity. */
export type IdentityOptions = NonNullable<GatewayConfig['gateway']['identity']>

/** Where services find the public key. */
export const JWKS_PATH = '/.well-known/agentic-jwks.json'

const TOKEN_TYPE = 'agentic-identity+jwt'

/** The tokens that were signed for one caller within one second, by tenant, target and actor. */
interface SignedTokens {
  readonly second: number
  readonly tokens: Map<string, string>
}

/** Signs who calls for whom, so that a service need not trust everybody who can reach its port. */
export class IdentitySigner {
  /** The public key as a JSON Web Key Set. */
  readonly jwks: { readonly keys: readonly Readonly<Record<string, unknown>>[] }
  readonly #key: KeyObject
  readonly #header: string
  readonly #isEd25519: boolean
  readonly #options: IdentityOptions
  readonly #recent = new WeakMap<object, SignedTokens>()

  constructor(options: IdentityOptions) {
    this.#options = options
    this.#key = readKey(options.key_file)
    this.#isEd25519 = this.#key.asymmetricKeyType === 'ed25519'
    const alg = this.#isEd25519 ? 'EdDSA' : 'ES256'
    const jwk = createPublicKey(this.#key).export({ format: 'jwk' })
    const kid = options.key_id ?? thumbprint(jwk)
    this.#header = encode({ alg, typ: TOKEN_TYPE, kid })
    this.jwks = { keys: [{ ...jwk, kid, alg, use: 'sig' }] }
  }

  /** The token for one request; the audience is the origin of its target. Without a digest of the body it is signed once a second for each caller. */
  sign(exchange: Exchange, audience: string): string {
    const second = Math.floor(Date.now() / 1000)
    if (this.#options.body_digest && exchange.body.isRead) {
      const bsha = createHash('sha256')
        .update((exchange.body.content() as Buffer | undefined) ?? '')
        .digest('base64url')
      return this.#token(exchange, audience, { second, bsha })
    }
    const caller = exchange.identity ?? NOBODY
    let signed = this.#recent.get(caller)
    if (signed?.second !== second) {
      signed = { second, tokens: new Map() }
      this.#recent.set(caller, signed)
    }
    // A tenant id and an origin have no blank; an actor may have one.
    const key = `${exchange.tenantId} ${audience} ${exchange.actor}`
    const known = signed.tokens.get(key)
    if (known !== undefined) return known
    const token = this.#token(exchange, audience, { second })
    signed.tokens.set(key, token)
    return token
  }

  #token(
    { identity, tenantId, actor }: Exchange,
    aud: string,
    { second, ...digest }: { readonly second: number; readonly bsha?: string },
  ): string {
    const { issuer: iss, ttl_seconds: seconds } = this.#options
    const claims = {
      iss,
      aud,
      sub: identity?.subject,
      act_iss: identity?.issuer,
      actor: actor === '' ? undefined : actor,
      tenant: tenantId,
      roles: identity?.roles ?? [],
      iat: second,
      exp: second + seconds,
      ...digest,
    }
    const signed = `${this.#header}.${encode(claims)}`
    const signature = this.#isEd25519
      ? sign(null, Buffer.from(signed), this.#key)
      : sign('sha256', Buffer.from(signed), { key: this.#key, dsaEncoding: 'ieee-p1363' })
    return `${signed}.${signature.toString('base64url')}`
  }
}

/** Stands for the caller while tokens are not validated. */
const NOBODY = {}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function readKey(file: string): KeyObject {
  const name = 'gateway.identity.key_file'
  const pem = readNamedFile(file, name)
  try {
    const key = createPrivateKey(pem)
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
    if (type === 'ed25519' || (type === 'ec' && details?.namedCurve === 'prime256v1')) return key
  } catch {
    // Not the error of the parser: it may quote the file.
  }
  throw new InitialisationError(`${name} is not an Ed25519 or P-256 private key in PEM (PKCS#8)`)
}

/** RFC 7638: the digest of the required members, in the order of their names. */
function thumbprint({ crv, kty, x, y }: webcrypto.JsonWebKey): string {
  const members = y === undefined ? { crv, kty, x } : { crv, kty, x, y }
  return createHash('sha256').update(JSON.stringify(members)).digest('base64url')
}
