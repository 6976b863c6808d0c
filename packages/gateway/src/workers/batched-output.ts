import { Writable } from 'node:stream'

const COLLECT_MS = 10
const MANY_BYTES = 32_768

/**
 * Lets whoever writes one thing after another wait a moment, and collect more for the next: every write of a worker wakes
 * the primary too, and many small ones cost both of them more than the lines are worth. What is large does not wait.
 */
export function createBatchedOutput(stdout: Writable): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      const pass = () => void stdout.write(chunk, (error) => done(error ?? lossOf(stdout)))
      if (chunk.length >= MANY_BYTES) pass()
      else setTimeout(pass, COLLECT_MS)
    },
  })
}

/** Destroying a stream completes its pending write without an error, though nothing was written. */
function lossOf({ destroyed }: Writable): Error | null {
  return destroyed ? new Error('stdout is closed') : null
}
