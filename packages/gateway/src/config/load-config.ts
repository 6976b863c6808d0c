import { closeSync, openSync, readSync } from 'node:fs'
import { type ConfigResult, MAX_FILE_BYTES, parseConfig, refuse, TOO_LARGE } from './parse-config.ts'
import type { Environment } from './source/interpolation.ts'

/** Reads a configuration file; a file that cannot be read is a fault like any other. */
export const loadConfig = (file: string, env: Environment): ConfigResult => {
  const read = readText(file)
  return 'fault' in read ? refuse(file, read.fault) : parseConfig(read.text, { file, env })
}

const readText = (file: string): { text: string } | { fault: string } => {
  try {
    const bytes = readStart(file, MAX_FILE_BYTES + 1)
    if (bytes.length > MAX_FILE_BYTES) return { fault: TOO_LARGE }
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch (error) {
    return { fault: reasonOf(error) }
  }
}

/** At most `limit` bytes of a file, so that neither a huge file nor an endless device fills the memory. */
const readStart = (file: string, limit: number): Uint8Array => {
  const bytes = new Uint8Array(limit)
  const descriptor = openSync(file, 'r')
  try {
    let length = 0
    for (let read = -1; read !== 0 && length < limit; length += read) {
      read = readSync(descriptor, bytes, length, limit - length, null)
    }
    return bytes.subarray(0, length)
  } finally {
    closeSync(descriptor)
  }
}

const REASONS: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'there is no such file'],
  ['EACCES', 'the file may not be read'],
  ['EISDIR', 'this is a folder, not a file'],
  ['ERR_ENCODING_INVALID_ENCODED_DATA', 'the file is not UTF-8 text'],
])

const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return REASONS.get(code) ?? 'the file cannot be read'
}
