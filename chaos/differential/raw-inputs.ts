import { corrupt, makeRequest } from '../fuzz/requests.ts'
import type { Seeded } from '../seeded.ts'
import { vectors } from '../vectors/vectors.ts'

const tokens = { good: ['t'], bad: ['', 'x y'] }

/** Creates the bytes of one connection: generated requests, smuggling vectors, and both with changed bytes. */
export function makeInput(random: Seeded): Buffer {
  const dice = random.number()
  const first = dice < 0.5 ? makeRequest(random, tokens) : random.pick(vectors).text
  const blanked = random.chance(0.1) ? withBlanks(first, random) : first
  const text = dice < 0.25 || dice > 0.6 ? corrupt(blanked, random) : blanked
  return Buffer.from(random.chance(0.3) ? text + makeRequest(random, tokens) : text, 'latin1')
}

const FRAMING_LINE = /^((?:transfer-encoding|content-length|connection)[ \t]*:)([^\r\n]*)/gim

/** The same headers about framing with blanks around their values: readers differ in which of them they remove. */
function withBlanks(text: string, random: Seeded): string {
  const blanks = () => random.pick(['', ' ', '\t', ' \t', '\t ', '\t\t'])
  return text.replaceAll(FRAMING_LINE, (_line, name: string, value: string) =>
    [name, blanks(), value, blanks()].join(''),
  )
}
