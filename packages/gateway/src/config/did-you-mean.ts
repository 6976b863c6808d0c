const LONGEST_WORD = 40

/** Finds the candidate most similar to a mistyped word; case, "-" and "_" do not count as differences. */
export const nearest = (word: string, candidates: readonly string[]): string | undefined => {
  if (word.length > LONGEST_WORD) return undefined
  const plain = normalise(word)
  let best: string | undefined
  let bestDistance = Math.max(1, Math.floor(plain.length / 3)) + 1
  for (const candidate of candidates) {
    const distance = editDistance(plain, normalise(candidate))
    if (distance < bestDistance && distance < candidate.length) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** The end of a message, with the nearest candidate; empty without one. */
export const didYouMean = (word: string, candidates: readonly string[]): string => {
  const found = nearest(word, candidates)
  return found === undefined ? '' : `, did you mean "${found}"?`
}

const normalise = (word: string): string => word.toLowerCase().replace(/[-_]/g, '')

/** Counts insertions, deletions, replacements and swaps of neighbours between two words (optimal string alignment). */
const editDistance = (from: string, to: string): number => {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      current.push(cheapest({ from, to, row, column, last, current, beforeLast }))
    }
    beforeLast = last
    last = current
  }
  return last[to.length] ?? 0
}

interface Cell {
  from: string
  to: string
  row: number
  column: number
  last: readonly number[]
  current: readonly number[]
  beforeLast: readonly number[]
}

const cheapest = ({ from, to, row, column, last, current, beforeLast }: Cell): number => {
  const same = from[row - 1] === to[column - 1] ? 0 : 1
  const cost = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + same)
  const swapped =
    row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
  return swapped ? Math.min(cost, at(beforeLast, column - 2) + 1) : cost
}

const at = (row: readonly number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY
