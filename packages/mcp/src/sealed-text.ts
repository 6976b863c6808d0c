import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto'
import { parseOwnJson } from '@agentic-rest/profile'
import type { Environment } from './environment.ts'

/** The uses of sealed texts. A text sealed for one use does not open for another. */
export type SealUse = 'state' | 'session' | 'task' | 'relay'

/** The options of a seal. */
export interface SealOptions {
  /** At least 32 bytes each. The first one seals, all open. */
  readonly secrets: readonly string[]
  /** The address of the endpoint. A text of another endpoint does not open. */
  readonly publicUrl: string
  readonly environment: Pick<Environment, 'randomBytes'>
}

/** Encrypts values for clients that keep them: nobody else can read or change them. */
export interface Seal {
  seal(use: SealUse, value: unknown): string
  /** The value of a sealed text; undefined for anything else. */
  open(use: SealUse, text: string): unknown
}

/** The fewest bytes of a secret. */
export const MIN_SECRET_BYTES = 32

/** The most characters of a sealed text that a client carries. Longer ones are neither made nor opened. */
export const MAX_SEALED_CHARACTERS = 16_384
// No client carries these: an answer of a client may be longer than a state.
const MAX_RELAYED_CHARACTERS = 1_048_576

const VERSION = 'v1'
const ALGORITHM = 'aes-256-gcm'
const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16

interface Key {
  readonly id: string
  readonly bytes: Buffer
}

/** Makes a seal. Its texts are `v1.<key id>.<iv>.<ciphertext and tag>`. */
export function createSeal({ secrets, publicUrl, environment }: SealOptions): Seal {
  const keys = secrets.map(deriveKey)
  const [first] = keys
  if (first === undefined) throw new TypeError('a seal needs at least one secret')
  const additional = (use: SealUse) =>
    Buffer.from(`agentic-mcp/1|${publicUrl}${use === 'state' ? '' : `|${use}`}`)
  return {
    seal(use, value) {
      const iv = Buffer.from(environment.randomBytes(IV_BYTES))
      const cipher = createCipheriv(ALGORITHM, first.bytes, iv).setAAD(additional(use))
      const sealed = [cipher.update(JSON.stringify(value), 'utf8'), cipher.final(), cipher.getAuthTag()]
      return [VERSION, first.id, encode(iv), encode(Buffer.concat(sealed))].join('.')
    },
    open(use, text) {
      if (text.length > (use === 'relay' ? MAX_RELAYED_CHARACTERS : MAX_SEALED_CHARACTERS)) return undefined
      const [version, id, iv, sealed, ...rest] = text.split('.')
      const key = keys.find((each) => each.id === id)
      if (version !== VERSION || key === undefined || iv === undefined || sealed === undefined)
        return undefined
      if (rest.length > 0) return undefined
      return decrypt({ key, iv: decode(iv), sealed: decode(sealed), additional: additional(use) })
    },
  }
}

interface Encrypted {
  readonly key: Key
  readonly iv: Buffer | undefined
  readonly sealed: Buffer | undefined
  readonly additional: Buffer
}

function decrypt({ key, iv, sealed, additional }: Encrypted): unknown {
  if (iv?.length !== IV_BYTES || sealed === undefined || sealed.length < TAG_BYTES) return undefined
  const decipher = createDecipheriv(ALGORITHM, key.bytes, iv)
    .setAAD(additional)
    .setAuthTag(sealed.subarray(-TAG_BYTES))
  try {
    return parseOwnJson(
      decipher.update(sealed.subarray(0, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8'),
    )
  } catch {
    return undefined
  }
}

function deriveKey(secret: string): Key {
  if (Buffer.byteLength(secret) < MIN_SECRET_BYTES) {
    throw new TypeError(`a secret has at least ${MIN_SECRET_BYTES} bytes`)
  }
  const bytes = Buffer.from(hkdfSync('sha256', secret, '', 'agentic-mcp/1 seal', KEY_BYTES))
  // The id is part of every text. It is a hash of the key, so that it says nothing about it and survives a rotation.
  return { bytes, id: createHash('sha256').update(bytes).digest('base64url').slice(0, 8) }
}

function encode(bytes: Buffer): string {
  return bytes.toString('base64url')
}

// Only the one canonical spelling: a changed last character that decodes to the same bytes is refused too.
function decode(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return encode(bytes) === text ? bytes : undefined
}
