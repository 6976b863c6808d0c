/** A place in a text, both counted from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Prepares a text so that offsets in it can be turned into lines and columns. */
export const createLineIndex = (text: string): ((offset: number) => Position) => {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return function positionOf(offset) {
    const line = countUpTo(starts, offset)
    return { line, column: offset - (starts[line - 1] ?? 0) + 1 }
  }
}

/** How many of the ascending numbers are not above `limit`, by bisection. */
const countUpTo = (ascending: readonly number[], limit: number): number => {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ascending[middle] ?? Number.POSITIVE_INFINITY) <= limit) low = middle + 1
    else high = middle
  }
  return low
}
