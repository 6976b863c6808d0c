import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { LogReport } from '../src/verify-log.ts'

/** The file of a log, the bytes to flip and the verification of the log. */
export interface Flips {
  readonly file: string
  readonly wanted: (line: number, column: number) => boolean
  readonly verify: () => Promise<LogReport>
}

/** Flips bytes of a file one after the other, expects each to be found with its line, and returns their number. */
export async function flipAll({ file, wanted, verify }: Flips): Promise<number> {
  const bytes = readFileSync(file)
  let [line, column, flips] = [1, 0, 0]
  for (let at = 0; at < bytes.length; at += 1) {
    if (wanted(line, column)) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 7))
      writeFileSync(file, changed)
      const [first] = (await verify()).faults
      const found = `${first?.file}:${first?.line}`
      if (found !== `${file}:${line}`)
        expect.fail(`byte ${at} of line ${line}: ${found} ${first?.kind} ${first?.detail}`)
      flips += 1
    }
    column += 1
    if (bytes[at] === 10) [line, column] = [line + 1, 0]
  }
  writeFileSync(file, bytes)
  return flips
}
