import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { AuditLogError } from './audit-log-error.ts'
import { sha256 } from './merkle-tree.ts'

// C2SP signed-note: the type of an Ed25519 signature, in key ids and verifier keys.
const ED25519 = 1
const KEY_BYTES = 32
const ID_BYTES = 4
const SIGNATURE_PREFIX = '\u2014 '

/** Signs notes under a name (C2SP signed-note). */
export interface NoteSigner {
  readonly name: string
  /** The verifier key, which may be published. */
  readonly verifierKey: string
  /** Signs a text that ends with a newline; returns the whole note. */
  sign(text: string): string
}

/** Checks the signatures of notes. */
export interface NoteVerifier {
  readonly name: string
  /** The text of a note that this key has signed; `undefined` for any other note. */
  open(note: string): string | undefined
}

/** Returns the fault of the name of a log, if it has one: it stands between spaces and plus signs. */
export function noteNameFault(name: string): string | undefined {
  if (name === '' || name.length > 255) return 'must have 1 to 255 characters'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters would split the line of a signature.
  return /[\s+\u0000-\u001f\u007f]/.test(name)
    ? 'must have no space, no control character and no "+"'
    : undefined
}

/** Creates the signer of a private key in PEM (PKCS 8, Ed25519). */
export function createNoteSigner(name: string, pem: string | Buffer): NoteSigner {
  const fault = noteNameFault(name)
  if (fault !== undefined) throw new AuditLogError(`the name of the log ${fault}`)
  const key = readPrivateKey(pem)
  const raw = rawPublicKey(createPublicKey(key))
  const id = keyId(name, raw)
  return {
    name,
    verifierKey: formatVerifierKey(name, raw),
    sign(text) {
      const signature = Buffer.concat([id, sign(null, Buffer.from(text), key)])
      return `${text}\n${SIGNATURE_PREFIX}${name} ${signature.toString('base64')}\n`
    },
  }
}

/** Reads a verifier key: `name+hex(id)+base64(0x01 || key)`. */
export function createNoteVerifier(verifierKey: string): NoteVerifier {
  const [, name = '', hex = '', encoded = ''] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(verifierKey) ?? []
  const bytes = decodeBase64(encoded)
  if (noteNameFault(name) !== undefined || bytes?.length !== KEY_BYTES + 1 || bytes[0] !== ED25519)
    throw new AuditLogError('the verifier key is not NAME+ID+KEY of an Ed25519 key')
  const raw = bytes.subarray(1)
  const id = keyId(name, raw)
  if (id.toString('hex') !== hex) throw new AuditLogError('the id of the verifier key does not fit its key')
  const key = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') },
    format: 'jwk',
  })
  const isSigned = (text: string, line: string) => {
    if (!line.startsWith(`${SIGNATURE_PREFIX}${name} `)) return false
    const signature = decodeBase64(line.slice(SIGNATURE_PREFIX.length + name.length + 1))
    if (signature === undefined || !signature.subarray(0, ID_BYTES).equals(id)) return false
    return verify(null, Buffer.from(text), key, signature.subarray(ID_BYTES))
  }
  return {
    name,
    open(note) {
      const end = note.lastIndexOf('\n\n')
      if (end === -1 || !note.endsWith('\n')) return undefined
      const text = note.slice(0, end + 1)
      const lines = note.slice(end + 2, -1).split('\n')
      return lines.some((line) => isSigned(text, line)) ? text : undefined
    },
  }
}

/** Decodes base64 in its one canonical form; `undefined` for anything else. */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

function readPrivateKey(pem: string | Buffer): KeyObject {
  const key = privateKeyOf(pem)
  if (key?.asymmetricKeyType !== 'ed25519')
    throw new AuditLogError('the key is not an Ed25519 private key in PEM')
  return key
}

function privateKeyOf(pem: string | Buffer): KeyObject | undefined {
  try {
    return createPrivateKey(pem)
  } catch {
    // The cause of the library may quote the file.
    return undefined
  }
}

function rawPublicKey(key: KeyObject): Buffer {
  return Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url')
}

function keyId(name: string, raw: Buffer): Buffer {
  return sha256(Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(ED25519), raw])).subarray(0, ID_BYTES)
}

function formatVerifierKey(name: string, raw: Buffer): string {
  const key = Buffer.concat([Buffer.of(ED25519), raw]).toString('base64')
  return `${name}+${keyId(name, raw).toString('hex')}+${key}`
}
