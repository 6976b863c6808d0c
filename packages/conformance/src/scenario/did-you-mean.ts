/** The end of a message with the candidate closest to a word, or an empty text. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const limit = Math.max(1, Math.floor(word.length / 3))
  const [best] = candidates
    .map((candidate) => ({ candidate, distance: distanceOf(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= limit && distance < candidate.length)
    .toSorted((a, b) => a.distance - b.distance)
  return best === undefined ? '' : `, did you mean "${best.candidate}"?`
}

const LONGEST_WORD = 60

/** The Levenshtein distance. */
function distanceOf(from: string, to: string): number {
  if (from.length > LONGEST_WORD || to.length > LONGEST_WORD) return Number.POSITIVE_INFINITY
  // Swapped letters count as one mistake.
  if (from !== to && [...from].toSorted().join('') === [...to].toSorted().join('')) return 1
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [index, character] of [...from].entries()) {
    const next = [index + 1]
    for (let at = 1; at <= to.length; at++) {
      const replaced = Number(row[at - 1]) + (to[at - 1] === character ? 0 : 1)
      next.push(Math.min(replaced, Number(row[at]) + 1, Number(next[at - 1]) + 1))
    }
    row = next
  }
  return Number(row[to.length])
}
