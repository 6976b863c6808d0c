import { createWriteStream, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { finished } from 'node:stream/promises'

/** A file that lines are added to. */
export interface LineFile {
  add(line: string): void
  /** Resolves when everything is in the file, or cannot be. */
  close(): Promise<void>
}

/** Opens a file to add lines to; what is in it stays. A file that cannot be written costs lines and never the stack. */
export function openLineFile(path: string, onFailure: (reason: string) => void): LineFile {
  mkdirSync(dirname(path), { recursive: true })
  const stream = createWriteStream(path, { flags: 'a' })
  stream.on('error', ({ message }) => onFailure(message))
  return {
    add(line) {
      if (!stream.destroyed) stream.write(`${line}\n`)
    },
    close: () => finished(stream.end()).catch(() => undefined),
  }
}
