import { createWriteStream, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { finished } from 'node:stream/promises'

/** A file that lines are added to. */
export interface LineFile {
  add(line: string): void
  /** Resolves when everything is in the file. */
  close(): Promise<void>
}

/** Opens a file to add lines to; what is in it stays. */
export function openLineFile(path: string): LineFile {
  mkdirSync(dirname(path), { recursive: true })
  const stream = createWriteStream(path, { flags: 'a' })
  return {
    add: (line) => void stream.write(`${line}\n`),
    close: () => finished(stream.end()),
  }
}
