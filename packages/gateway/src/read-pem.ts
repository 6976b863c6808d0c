import { readFileSync } from 'node:fs'
import { InitialisationError } from './plugin.ts'

/** Reads a PEM file that a key of the configuration names; the message names the key, not what is in the file. */
export function readPem(file: string, key: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unreadable'
    throw new InitialisationError(`${key}: cannot read the file (${code})`)
  }
}
