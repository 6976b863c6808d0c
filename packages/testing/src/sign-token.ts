import { CompactSign, type CryptoKey, exportJWK, generateKeyPair, type JWK } from 'jose'

/** A key pair of an issuer, and its public key as published. */
export interface SigningKey {
  readonly kid: string | undefined
  readonly algorithm: string
  readonly privateKey: CryptoKey
  readonly publicKey: CryptoKey
  readonly jwk: JWK
}

/** What a token is signed with. */
export interface TokenKey extends Pick<SigningKey, 'kid' | 'algorithm'> {
  readonly privateKey: CryptoKey | Uint8Array
}

/** The differences of a token from an ordinary one. */
export interface TokenParts {
  readonly header?: Readonly<Record<string, unknown>>
  /** Members with the value `undefined` are omitted. */
  readonly claims?: Readonly<Record<string, unknown>>
  readonly key?: SigningKey
}

/** Creates a key pair. */
export async function makeKey(algorithm: string, kid: string | undefined): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true })
  const named = kid === undefined ? {} : { kid }
  return { kid, algorithm, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), ...named } }
}

/** The claims of an ordinary token: five minutes from now, for the audience `agentic`. */
export function ordinaryClaims(issuer: string): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1000)
  return { iss: issuer, sub: 'alice', aud: 'agentic', iat: now, exp: now + 300, jti: crypto.randomUUID() }
}

/** The key of an issuer that shares a secret with the gateway (HS256). */
export function secretKey(secret: string): TokenKey {
  return { kid: undefined, algorithm: 'HS256', privateKey: new TextEncoder().encode(secret) }
}

/** A token of an issuer, signed with a key. */
export async function signToken(
  issuer: string,
  key: TokenKey,
  { header, claims }: Omit<TokenParts, 'key'> = {},
): Promise<string> {
  const payload = JSON.stringify({ ...ordinaryClaims(issuer), ...claims })
  const named = key.kid === undefined ? {} : { kid: key.kid }
  return await new CompactSign(Buffer.from(payload))
    .setProtectedHeader({ alg: key.algorithm, ...named, typ: 'at+jwt', ...header })
    .sign(key.privateKey)
}
