import { createHash } from 'node:crypto'

// Five columns of this size fit into one index entry.
const MAX_BYTES = 512

/**
 * Whether a text can be part of a key. PostgreSQL refuses NUL. The encoding replaces all lone surrogates by the same
 * character, so that two names would become one.
 */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0') && Buffer.byteLength(text) <= MAX_BYTES
}

/** Throws for names that cannot be part of a key. */
export function assertStorable(names: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(names)) {
    if (!isStorable(text))
      throw new TypeError(`the ${name} of a request cannot be kept: it is too long or no text`)
  }
}

/** The SHA-256 hash of a text, in hex. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
