import { randomBytes } from 'node:crypto'

const HALF = 0x1_0000_0000

/**
 * Makes span ids: a random half that tells processes apart and a half that counts. No two requests share one, even
 * when a caller sends one request id twice, and none costs a call for randomness.
 */
export function createSpanIds(random: Buffer = randomBytes(8)): () => string {
  // W3C Trace Context, section 3.2.2.4: all zeros would mean "none", so the half that stays is never zero.
  const process = digits(random.readUInt32BE(0) || 1)
  let count = random.readUInt32BE(4)
  return () => {
    count = (count + 1) % HALF
    return process + digits(count)
  }
}

function digits(half: number): string {
  return half.toString(16).padStart(8, '0')
}
