import { seededRandom } from '@agentic-rest/testing/seeded-random'

/** Random choices that are the same for the same seed. */
export interface Seeded {
  /** From 0 to below 1. */
  number(): number
  /** A whole number from 0 to below `end`. */
  below(end: number): number
  /** A whole number from `first` to `last`, both included. */
  between(first: number, last: number): number
  /** True with the probability `share`, from 0 to 1. */
  chance(share: number): boolean
  pick<T>(choices: readonly [T, ...T[]] | readonly T[]): T
  /** The items in random order. */
  shuffle<T>(items: readonly T[]): T[]
}

/** Creates the choices of a seed. Each `stream` has independent choices. */
export function createSeeded(seed: number, stream = 0): Seeded {
  const number = seededRandom(Math.imul(seed ^ Math.imul(stream + 1, 0x9e3779b1), 0x85ebca6b))
  const below = (end: number) => Math.floor(number() * end)
  const pick = <T>(choices: readonly T[]): T => choices[below(choices.length)] as T
  return {
    number,
    below,
    pick,
    between: (first, last) => first + below(last - first + 1),
    chance: (share) => number() < share,
    shuffle: (items) => {
      const left = [...items]
      return items.map(() => left.splice(below(left.length), 1)[0] as (typeof items)[number])
    },
  }
}
