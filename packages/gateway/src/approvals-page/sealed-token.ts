import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { loadZlib } from '../node-on-demand.ts'
import type { EndedSession } from './ended-sessions.ts'

const ALGORITHM = 'aes-256-gcm'
const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16
const TIME_BYTES = 6
/** A change of the format changes the name, so that an old cookie does not open. */
const FORMAT = Buffer.from('agentic approvals page 1')

/** Browsers drop a cookie above 4,096 bytes with its name and attributes. */
const LONGEST_SEALED = 3_900
const LONGEST_TOKEN_BYTES = 65_536

/** How long a sealed token opens. Its own expiry is checked with every request. */
export const SESSION_SECONDS = 8 * 60 * 60

/** The session in a sealed cookie. Its id is the nonce of the seal: a cookie with another one does not open. */
export interface OpenedSession extends EndedSession {
  readonly token: string
}

/** Seals tokens for a cookie: every process with one of the secrets can open it, and no browser can read it. */
export class TokenSeal {
  /** The first seals; each opens. */
  readonly #keys: readonly [KeyObject, ...KeyObject[]]

  constructor([newest, ...older]: readonly [string, ...string[]]) {
    this.#keys = [keyOf(newest), ...older.map(keyOf)]
  }

  /** The sealed form of a token, or `undefined` when it does not fit into a cookie. */
  seal(token: string): string | undefined {
    const endsAt = Buffer.alloc(TIME_BYTES)
    endsAt.writeUIntBE(Date.now() + SESSION_SECONDS * 1000, 0, TIME_BYTES)
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv(ALGORITHM, this.#keys[0], iv).setAAD(FORMAT)
    // A token is text in base64; compressed, its sealed form is not longer than the token.
    const parts = [cipher.update(Buffer.concat([endsAt, loadZlib().deflateRawSync(token)])), cipher.final()]
    const sealed = Buffer.concat([iv, ...parts, cipher.getAuthTag()]).toString('base64url')
    return sealed.length > LONGEST_SEALED ? undefined : sealed
  }

  /** The session in a sealed form; `undefined` when it is changed, too old, or sealed with another secret. */
  open(sealed: string): OpenedSession | undefined {
    const bytes = Buffer.from(sealed, 'base64url')
    if (bytes.length < IV_BYTES + TIME_BYTES + TAG_BYTES) return undefined
    for (const key of this.#keys) {
      const opened = openWith(key, bytes)
      if (opened !== undefined) return readSession(opened, bytes)
    }
    return undefined
  }
}

/** HKDF makes a key of the right length from a secret of any length. */
function keyOf(secret: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', FORMAT, KEY_BYTES)))
}

function openWith(key: KeyObject, bytes: Buffer): Buffer | undefined {
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES))
  decipher.setAAD(FORMAT).setAuthTag(bytes.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()])
  } catch {
    return undefined
  }
}

function readSession(opened: Buffer, sealed: Buffer): OpenedSession | undefined {
  const endsAt = opened.readUIntBE(0, TIME_BYTES)
  if (endsAt <= Date.now()) return undefined
  const token = loadZlib()
    .inflateRawSync(opened.subarray(TIME_BYTES), { maxOutputLength: LONGEST_TOKEN_BYTES })
    .toString()
  return { token, id: sealed.subarray(0, IV_BYTES).toString('base64url'), endsAt }
}
