import { closeSync, openSync, readSync, unwatchFile, watchFile } from 'node:fs'
import { type ConfigResult, MAX_FILE_BYTES, parseConfig, refuse, TOO_LARGE } from './parse-config.ts'
import type { Environment } from './source/interpolation.ts'

/** Reads a configuration file; an unreadable file is a fault like any other. */
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

/** Reads at most `limit` bytes of a file, so that neither a huge file nor an endless device fills the memory. */
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

const POLL_MS = 500
/** Waiting time after a change: a half-written file would be refused. */
const SETTLE_MS = 200

/**
 * Calls `onChange` after every change of a file; the returned function stops that. It polls: kernel events depend on how
 * the file is replaced, and a volume that swaps a link in a parent folder causes none.
 */
export function watchConfig(file: string, onChange: () => void): () => void {
  let settling: NodeJS.Timeout | undefined
  const changed = () => {
    clearTimeout(settling)
    settling = setTimeout(onChange, SETTLE_MS)
  }
  watchFile(file, { interval: POLL_MS, persistent: false }, changed)
  return () => {
    clearTimeout(settling)
    unwatchFile(file, changed)
  }
}
