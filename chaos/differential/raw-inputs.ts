import { corrupt, makeRequest } from '../fuzz/requests.ts'
import type { Seeded } from '../seeded.ts'
import { vectors } from '../vectors/vectors.ts'

const tokens = { good: ['t'], bad: ['', 'x y'] }

/** Creates the bytes of one connection: generated requests, smuggling vectors, and both with changed bytes. */
export function makeInput(random: Seeded): Buffer {
  const dice = random.number()
  const first = dice < 0.5 ? makeRequest(random, tokens) : random.pick(vectors).text
  const text = dice < 0.25 || dice > 0.6 ? corrupt(first, random) : first
  return Buffer.from(random.chance(0.3) ? text + makeRequest(random, tokens) : text, 'latin1')
}
