import { constants, createHmac, type KeyObject, timingSafeEqual, verify } from 'node:crypto'

/** The signed bytes of a token, its signature, and the algorithm that the issuer's configuration allows. */
export interface SignedText {
  readonly algorithm: string
  readonly text: Buffer
  readonly signature: Buffer
}

interface Algorithm {
  /** `undefined`: the key decides (Ed25519). */
  readonly digest: string | undefined
  readonly keyType: 'rsa' | 'ec' | 'ed25519' | 'secret'
  readonly curve?: string
  /** The only length of a signature; OpenSSL checks that of RSA. */
  readonly signatureBytes?: number
  /** The options of node:crypto beside the key. */
  readonly options?:
    | { readonly padding: number; readonly saltLength: number }
    | { readonly dsaEncoding: 'ieee-p1363' }
}

const { RSA_PKCS1_PSS_PADDING: padding } = constants
const dsaEncoding = 'ieee-p1363'

/** RFC 7518, section 3.1, and RFC 8037, section 3.1. An algorithm that is not here verifies nothing. */
const ALGORITHMS: ReadonlyMap<string, Algorithm> = new Map<string, Algorithm>([
  ['RS256', { digest: 'sha256', keyType: 'rsa' }],
  ['RS384', { digest: 'sha384', keyType: 'rsa' }],
  ['RS512', { digest: 'sha512', keyType: 'rsa' }],
  ['PS256', { digest: 'sha256', keyType: 'rsa', options: { padding, saltLength: 32 } }],
  ['PS384', { digest: 'sha384', keyType: 'rsa', options: { padding, saltLength: 48 } }],
  ['PS512', { digest: 'sha512', keyType: 'rsa', options: { padding, saltLength: 64 } }],
  [
    'ES256',
    { digest: 'sha256', keyType: 'ec', curve: 'prime256v1', signatureBytes: 64, options: { dsaEncoding } },
  ],
  [
    'ES384',
    { digest: 'sha384', keyType: 'ec', curve: 'secp384r1', signatureBytes: 96, options: { dsaEncoding } },
  ],
  [
    'ES512',
    { digest: 'sha512', keyType: 'ec', curve: 'secp521r1', signatureBytes: 132, options: { dsaEncoding } },
  ],
  ['EdDSA', { digest: undefined, keyType: 'ed25519', signatureBytes: 64 }],
  ['HS256', { digest: 'sha256', keyType: 'secret', signatureBytes: 32 }],
])

/** RFC 7518, sections 3.3 and 3.5. */
export const MIN_RSA_BITS = 2048
// Verifying with such a key takes 25 to 80 µs. Dearer ones (P-521: 1.5 ms) would hold up all other requests.
const MAX_QUICK_RSA_BITS = 4096
const MAX_QUICK_EXPONENT = 65_537n

/** A key with its facts, which are dear to ask for. */
export interface SignatureKey {
  readonly key: KeyObject
  readonly type: string | undefined
  readonly curve: string | undefined
  readonly bits: number
  /** Verifies in less time than a change of thread takes. */
  readonly isQuick: boolean
}

/** Reads the facts of a public key or of a secret. */
export function signatureKey(key: KeyObject): SignatureKey {
  if (key.type === 'secret') return { key, type: 'secret', curve: undefined, bits: 0, isQuick: true }
  // A private key fits no algorithm.
  const type = key.type === 'public' ? key.asymmetricKeyType : undefined
  const { modulusLength: bits = 0, namedCurve: curve, publicExponent } = key.asymmetricKeyDetails ?? {}
  const isSmall = publicExponent !== undefined && publicExponent <= MAX_QUICK_EXPONENT
  return { key, type, curve, bits, isQuick: type === 'rsa' && isSmall && bits <= MAX_QUICK_RSA_BITS }
}

/**
 * Whether one of the keys made the signature. A single quick key answers at once: a promise and a thread cost more than
 * the check. Otherwise libuv's threads check one key after another, and the promise never rejects.
 */
export function isSignedByAny(signed: SignedText, keys: readonly SignatureKey[]): boolean | Promise<boolean> {
  const [key] = keys
  if (key === undefined) return false
  return keys.length === 1 && key.isQuick ? isSignedBy(signed, key) : isSignedByAnyInThreads(signed, keys)
}

function isSignedBy(signed: SignedText, key: SignatureKey): boolean {
  const algorithm = fittingAlgorithm(signed, key)
  if (algorithm === undefined) return false
  if (algorithm.keyType === 'secret') return hasCode(signed, key)
  try {
    return verify(algorithm.digest, signed.text, inputOf(algorithm, key), signed.signature)
  } catch {
    return false
  }
}

/** Without options the key itself is handed over: in an object it costs 14 µs more. */
function inputOf({ options }: Algorithm, { key }: SignatureKey) {
  return options === undefined ? key : { key, ...options }
}

async function isSignedByAnyInThreads(signed: SignedText, keys: readonly SignatureKey[]): Promise<boolean> {
  for (const key of keys) if (await isSignedByInThread(signed, key)) return true
  return false
}

function isSignedByInThread(signed: SignedText, key: SignatureKey): boolean | Promise<boolean> {
  const algorithm = fittingAlgorithm(signed, key)
  if (algorithm === undefined) return false
  if (algorithm.keyType === 'secret') return hasCode(signed, key)
  return new Promise<boolean>((resolve) => {
    const settle = (error: Error | null, valid: boolean) => resolve(error === null && valid)
    verify(algorithm.digest, signed.text, inputOf(algorithm, key), signed.signature, settle)
  }).catch(() => false)
}

/** The algorithm, if key and signature fit it. So a public key is never the secret of an HMAC. */
function fittingAlgorithm(
  { algorithm: name, signature }: SignedText,
  { type, curve, bits }: SignatureKey,
): Algorithm | undefined {
  const algorithm = ALGORITHMS.get(name)
  if (algorithm === undefined || type !== algorithm.keyType || curve !== algorithm.curve) return undefined
  if (type === 'rsa' && bits < MIN_RSA_BITS) return undefined
  const { signatureBytes = signature.length } = algorithm
  return signature.length === signatureBytes ? algorithm : undefined
}

function hasCode({ text, signature }: SignedText, { key }: SignatureKey): boolean {
  return timingSafeEqual(createHmac('sha256', key).update(text).digest(), signature)
}
