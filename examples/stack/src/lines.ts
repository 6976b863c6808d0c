import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/** Hands on every line of a stream; resolves at its end. */
export function eachLine(stream: Readable, take: (line: string) => void): Promise<void> {
  return new Promise((resolve) => {
    createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })
      .on('line', take)
      .on('close', resolve)
  })
}
