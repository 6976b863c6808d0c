import { createHash } from 'node:crypto'

// Five such columns still fit into one entry of an index.
const MAX_BYTES = 512

/**
 * Whether a text can be part of a key. PostgreSQL refuses NUL, and lone surrogates all become the same character on
 * the way to it, so that two names would be one.
 */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0') && Buffer.byteLength(text) <= MAX_BYTES
}

/** Throws for a name that cannot be part of a key. */
export function assertStorable(names: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(names)) {
    if (!isStorable(text))
      throw new TypeError(`the ${name} of a request cannot be kept: it is too long or no text`)
  }
}

/** The SHA-256 of a text, in hex. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
