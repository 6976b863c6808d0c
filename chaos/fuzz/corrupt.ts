import type { Seeded } from '../seeded.ts'
import { pieces } from './words.ts'

/** Changes a text at one to four places: a bit or a byte, something in between, a part gone or there twice, the end cut off. */
export function corrupt(text: string, random: Seeded): string {
  let changed = text
  for (let count = random.between(1, random.chance(0.6) ? 1 : 4); count > 0; count -= 1)
    changed = random.pick(changes)(changed, random)
  return changed
}

const changes: readonly ((text: string, random: Seeded) => string)[] = [
  flipBit,
  flipBit,
  (text, random) => replace(text, random, () => String.fromCharCode(random.below(256))),
  (text, random) => {
    const at = random.below(text.length + 1)
    return text.slice(0, at) + random.pick(pieces) + text.slice(at)
  },
  (text, random) => {
    const at = random.below(text.length + 1)
    return text.slice(0, at) + text.slice(at + random.below(20))
  },
  (text, random) => {
    const at = random.below(text.length + 1)
    return text.slice(0, at + random.below(20)) + text.slice(at)
  },
  (text, random) =>
    random.chance(0.3) ? text.slice(0, random.below(text.length + 1)) : flipBit(text, random),
]

function flipBit(text: string, random: Seeded): string {
  return replace(text, random, (code) => String.fromCharCode(code ^ (1 << random.below(8))))
}

function replace(text: string, random: Seeded, make: (code: number) => string): string {
  if (text === '') return text
  const at = random.below(text.length)
  return text.slice(0, at) + make(text.charCodeAt(at)) + text.slice(at + 1)
}
