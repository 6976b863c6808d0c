import { NO_SPANS, type Span } from '../text-view.ts'
import { anyOf, isDigit } from './character-kinds.ts'
import type { Detector } from './find-matches.ts'

/** First four digits, as a range, and lengths of the networks' card numbers (ISO/IEC 7812). */
const NETWORKS: readonly (readonly [from: number, to: number, lengths: readonly number[]])[] = [
  [2200, 2204, [16, 17, 18, 19]],
  [2221, 2720, [16]],
  [3000, 3059, [14, 16]],
  [3095, 3095, [14, 16]],
  [3400, 3499, [15]],
  [3528, 3589, [16, 17, 18, 19]],
  [3600, 3699, [14, 16, 19]],
  [3700, 3799, [15]],
  [3800, 3999, [14, 16, 19]],
  [4000, 4999, [13, 16, 19]],
  [5000, 5099, [13, 14, 15, 16, 17, 18, 19]],
  [5100, 5599, [16]],
  [5600, 5899, [13, 14, 15, 16, 17, 18, 19]],
  [6000, 6999, [13, 14, 15, 16, 17, 18, 19]],
  [8100, 8199, [16, 17, 18, 19]],
]
const SHORTEST = 13
const LONGEST = 19
const DOT = 0x2e
const MOST_SEPARATORS = 2
const isSeparator = anyOf(' -./_\t\r\n')
/** By first four digits, one bit per length: a look-up instead of a search for every group of digits in a text. */
const LENGTH_BITS = lengthBits()

/** A run of digits, separators between them left out. Only the first `count` entries of the arrays count. */
interface Run {
  readonly text: string
  count: number
  readonly digits: number[]
  /** Where each digit stands in the text. */
  readonly places: number[]
  /** Luhn sums of the first n digits, with the digits of even or of odd index taken as they are. */
  readonly evenSums: number[]
  readonly oddSums: number[]
}

/** Payment card numbers: known first digits and length, Luhn check digit, in one piece or in groups. */
export const creditCard: Detector = {
  // No pattern: the digits are read once, and judging a candidate costs one subtraction.
  patterns: [],
  minLength: SHORTEST,
  find(text) {
    let spans: Span[] | undefined
    let run: Run | undefined
    for (let index = 0; index < text.length; index++) {
      if (!isDigit(text.charCodeAt(index))) continue
      const { end, count } = measureRun(text, index)
      if (count >= SHORTEST) {
        // The arrays of the last run serve again when they are large enough: a text may hold very many short runs.
        if (run === undefined || count > run.digits.length) run = createRun(text, Math.max(LONGEST, count))
        spans ??= []
        readRun(run, { start: index, end })
        addCards(run, spans)
      }
      index = end
    }
    return spans ?? NO_SPANS
  },
}

function lengthBits(): Uint8Array {
  const bits = new Uint8Array(10_000)
  for (const [from, to, lengths] of NETWORKS) {
    bits.fill(
      lengths.reduce((all, length) => all | (1 << (length - SHORTEST)), 0),
      from,
      to + 1,
    )
  }
  return bits
}

/** How far digits go on with at most two separators between any two, and how many they are. */
function measureRun(text: string, start: number): { end: number; count: number } {
  let count = 0
  let end = start
  for (let index = start; index < text.length && index - end <= MOST_SEPARATORS; index++) {
    const unit = text.charCodeAt(index)
    if (isDigit(unit)) {
      count++
      end = index + 1
    } else if (!isSeparator(unit)) break
  }
  return { end, count }
}

function createRun(text: string, capacity: number): Run {
  return {
    text,
    count: 0,
    digits: new Array<number>(capacity).fill(0),
    places: new Array<number>(capacity).fill(0),
    evenSums: new Array<number>(capacity + 1).fill(0),
    oddSums: new Array<number>(capacity + 1).fill(0),
  }
}

function readRun(run: Run, { start, end }: Span): void {
  const { text, digits, places, evenSums, oddSums } = run
  let count = 0
  for (let place = start; place < end; place++) {
    const digit = text.charCodeAt(place) - 0x30
    if (digit < 0 || digit > 9) continue
    const doubled = digit > 4 ? digit * 2 - 9 : digit * 2
    const isEven = count % 2 === 0
    digits[count] = digit
    places[count] = place
    evenSums[count + 1] = (evenSums[count] ?? 0) + (isEven ? digit : doubled)
    oddSums[count + 1] = (oddSums[count] ?? 0) + (isEven ? doubled : digit)
    count++
  }
  run.count = count
}

function addCards(run: Run, spans: Span[]): void {
  for (let first = 0; first + SHORTEST <= run.count; ) {
    const end = startsGroup(run, first) ? cardEnd(run, first) : first
    if (end > first) spans.push({ start: run.places[first] ?? 0, end: (run.places[end - 1] ?? 0) + 1 })
    first = Math.max(end, first + 1)
  }
}

function startsGroup({ places, count }: Run, index: number): boolean {
  return index === 0 || index === count || (places[index] ?? 0) - (places[index - 1] ?? 0) > 1
}

/** Behind the last digit of the card number that starts at `first`, the longest if there are several; else `first`. */
function cardEnd(run: Run, first: number): number {
  const bits = LENGTH_BITS[prefixAt(run.digits, first)] ?? 0
  if (bits === 0) return first
  for (let length = LONGEST; length >= SHORTEST; length--) {
    const end = first + length
    if ((bits & (1 << (length - SHORTEST))) !== 0 && isCard(run, first, end)) return end
  }
  return first
}

function prefixAt(digits: readonly number[], first: number): number {
  let prefix = 0
  for (let i = first; i < first + 4; i++) prefix = prefix * 10 + (digits[i] ?? 0)
  return prefix
}

function isCard(run: Run, first: number, end: number): boolean {
  if (end > run.count || !startsGroup(run, end)) return false
  const sums = (end - 1) % 2 === 0 ? run.evenSums : run.oddSums
  return ((sums[end] ?? 0) - (sums[first] ?? 0)) % 10 === 0 && isWrittenLikeACard(run, first, end)
}

/**
 * In one piece, digit by digit, or in groups of which only the first and the last may have fewer than three digits. A
 * decimal fraction is not a group: without this rule the vectors of an embedding would be full of cards.
 */
function isWrittenLikeACard(run: Run, first: number, end: number): boolean {
  if (touchesDot(run, first, -1) || touchesDot(run, end - 1, 1)) return false
  const groups = groupLengths(run, first, end)
  if (groups.length === 2 && run.text.charCodeAt((run.places[first] ?? 0) + (groups[0] ?? 0)) === DOT)
    return false
  return groups.every((length) => length === 1) || groups.slice(1, -1).every((length) => length >= 3)
}

/** A digit follows (or precedes) beyond a dot, so that the number goes on there. */
function touchesDot({ text, places }: Run, index: number, direction: 1 | -1): boolean {
  const place = places[index] ?? 0
  return text.charCodeAt(place + direction) === DOT && isDigit(text.charCodeAt(place + 2 * direction))
}

function groupLengths(run: Run, first: number, end: number): number[] {
  const lengths: number[] = []
  let start = first
  for (let index = first + 1; index <= end; index++) {
    if (index < end && !startsGroup(run, index)) continue
    lengths.push(index - start)
    start = index
  }
  return lengths
}
