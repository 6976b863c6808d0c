import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16
/** A change of the format changes the name, so that an old cookie does not open. */
const FORMAT = 'agentic sessions 1'

/** Seals texts: every process with one of the secrets can open them, and nobody else can read or change them. */
export class Seal {
  /** The first seals; each opens. */
  readonly #keys: readonly [KeyObject, ...KeyObject[]]

  constructor([newest, ...older]: readonly [string, ...string[]]) {
    this.#keys = [keyOf(newest), ...older.map(keyOf)]
  }

  /** The sealed form of a text. It opens for the same purpose only. */
  seal(text: string, purpose: string): string {
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv(ALGORITHM, this.#keys[0], iv).setAAD(Buffer.from(purpose))
    const parts = [iv, cipher.update(text), cipher.final(), cipher.getAuthTag()]
    return Buffer.concat(parts).toString('base64url')
  }

  /** The text in a sealed form; `undefined` when it is changed, for another purpose, or sealed with another secret. */
  open(sealed: string, purpose: string): string | undefined {
    const bytes = Buffer.from(sealed, 'base64url')
    // Characters that the decoder skips, or bits behind the last byte, are a change too.
    if (bytes.length < IV_BYTES + TAG_BYTES || bytes.toString('base64url') !== sealed) return undefined
    for (const key of this.#keys) {
      const opened = openWith(key, bytes, purpose)
      if (opened !== undefined) return opened
    }
    return undefined
  }
}

/** HKDF makes a key of the right length from a secret of any length. */
function keyOf(secret: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', FORMAT, KEY_BYTES)))
}

function openWith(key: KeyObject, bytes: Buffer, purpose: string): string | undefined {
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(-TAG_BYTES))
  try {
    const text = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES))
    return Buffer.concat([text, decipher.final()]).toString()
  } catch {
    return undefined
  }
}
