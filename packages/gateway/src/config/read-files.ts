import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { InitialisationError } from '../errors.ts'

/** Reads a text file named in the configuration; the message names the key, never the content. */
export function readNamedFile(file: string, key: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unreadable'
    throw new InitialisationError(`${key}: cannot read the file (${code})`)
  }
}

const CERTIFICATES = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs

/** Reads the certificates of a PEM file, in its order: at least one, and all of them parsed, so that none fails at a handshake. */
export function readCertificates(file: string, key: string): [X509Certificate, ...X509Certificate[]] {
  try {
    const [first, ...rest] = readNamedFile(file, key).match(CERTIFICATES) ?? []
    return [new X509Certificate(first ?? ''), ...rest.map((text) => new X509Certificate(text))]
  } catch (cause) {
    if (cause instanceof InitialisationError) throw cause
    throw new InitialisationError(`${key} is not a PEM certificate`, { cause })
  }
}
