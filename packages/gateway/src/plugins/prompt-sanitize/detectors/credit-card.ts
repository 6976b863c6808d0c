import { classesOf, classTable, OTHER } from '../characters.ts'
import { createNumbers, NO_SPANS, type Numbers, type Span } from '../text-view.ts'
import type { Detector } from './find-matches.ts'

/** The card numbers of the networks: range of the first four digits, and lengths (ISO/IEC 7812). */
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
const MOST_SEPARATORS = 2
/** Digits have the classes 0 to 9. */
const CLASSES = classTable([...'0123456789', '.', ' -/_\t\r\n', ','])
// The separators: a dot, those between, and a comma.
const DOT = 10
const COMMA = 12
/** The allowed lengths by first four digits, one bit each: a look-up instead of a search per group of digits. */
const LENGTH_BITS = lengthBits()

/** A run of digits without its separators. Only the first `count` entries of the arrays are valid. */
interface Run {
  readonly classes: Uint8Array
  count: number
  /** Runs without a comma, nearly all, are not searched for one at each candidate. */
  hasComma: boolean
  readonly digits: Numbers
  /** The index of each digit in the text. */
  readonly places: Numbers
  /** Luhn sums of the first n digits; the digits of even or of odd index are not doubled. */
  readonly evenSums: Numbers
  readonly oddSums: Numbers
}

/** Payment card numbers: known first digits and length, Luhn check digit, in one piece or in groups. */
export const creditCard: Detector = {
  // No pattern: the digits are read once, and each candidate costs one subtraction.
  patterns: [],
  minLength: SHORTEST,
  find(text) {
    const classes = classesOf(text, CLASSES)
    let spans: Span[] | undefined
    let run: Run | undefined
    for (let index = 0; index < classes.length; index++) {
      if (!isDigitAt(classes, index)) continue
      const { end, count, next } = measureRun(classes, index)
      if (count >= SHORTEST) {
        // Large enough arrays of the last run are reused: a text may have very many short runs.
        if (run === undefined || count > run.digits.length) run = createRun(classes, Math.max(LONGEST, count))
        spans ??= []
        readRun(run, { start: index, end })
        addCards(run, spans)
      }
      index = next
    }
    return spans ?? NO_SPANS
  },
}

function lengthBits(): Uint8Array {
  const bits = new Uint8Array(10_000)
  for (const [from, to, lengths] of NETWORKS) {
    const all = lengths.reduce((sum, length) => sum | (1 << (length - SHORTEST)), 0)
    bits.fill(all, from, to + 1)
  }
  return bits
}

function isDigitAt(classes: Uint8Array, index: number): boolean {
  return (classes[index] ?? DOT) < DOT
}

function isSeparator(unitClass = OTHER): boolean {
  return unitClass >= DOT && unitClass <= COMMA
}

/** The end of a run, its number of digits, and the index to continue from. */
interface Measure {
  readonly end: number
  readonly count: number
  readonly next: number
}

/** Measures groups of digits with at most two separators between them. A group too long for a card ends the run. */
function measureRun(classes: Uint8Array, start: number): Measure {
  let count = 0
  let end = start
  for (let group = start; group - end <= MOST_SEPARATORS; ) {
    let groupEnd = group
    while (isDigitAt(classes, groupEnd)) groupEnd++
    if (groupEnd - group > LONGEST) return { end, count, next: groupEnd }
    if (groupEnd > group) {
      count += groupEnd - group
      end = groupEnd
      group = groupEnd
    } else if (isSeparator(classes[group])) group++
    else break
  }
  return { end, count, next: end }
}

function createRun(classes: Uint8Array, capacity: number): Run {
  return {
    classes,
    count: 0,
    hasComma: false,
    digits: createNumbers(capacity),
    places: createNumbers(capacity),
    evenSums: createNumbers(capacity + 1),
    oddSums: createNumbers(capacity + 1),
  }
}

function readRun(run: Run, { start, end }: Span): void {
  const { classes, digits, places, evenSums, oddSums } = run
  let count = 0
  for (let place = start; place < end; place++) {
    const digit = classes[place] ?? DOT
    if (digit >= DOT) continue
    const doubled = digit > 4 ? digit * 2 - 9 : digit * 2
    const isEven = count % 2 === 0
    digits[count] = digit
    places[count] = place
    evenSums[count + 1] = (evenSums[count] ?? 0) + (isEven ? digit : doubled)
    oddSums[count + 1] = (oddSums[count] ?? 0) + (isEven ? doubled : digit)
    count++
  }
  run.count = count
  run.hasComma = classes.subarray(start, end).includes(COMMA)
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

/** The end of the longest card number at `first`; `first` when there is none. */
function cardEnd(run: Run, first: number): number {
  const bits = LENGTH_BITS[prefixAt(run.digits, first)] ?? 0
  if (bits === 0) return first
  for (let length = LONGEST; length >= SHORTEST; length--) {
    const end = first + length
    if ((bits & (1 << (length - SHORTEST))) !== 0 && isCard(run, first, end)) return end
  }
  return first
}

function prefixAt(digits: Numbers, first: number): number {
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
 * A card number is written in one piece, digit by digit, or in groups; only the first and the last group may have fewer
 * than three digits. A decimal fraction is no group, or the vectors of an embedding would be full of cards.
 */
function isWrittenLikeACard(run: Run, first: number, end: number): boolean {
  if (touchesDot(run, first, -1) || touchesDot(run, end - 1, 1)) return false
  const { groups, shortestInner } = measureGroups(run, first, end)
  if (isListed(run, first, end) && !isCardWithCommas(run, first, end)) return false
  if (groups === end - first) return true
  return shortestInner >= 3 && !(groups === 2 && isDecimal(run, first, end))
}

/** A comma is between the digits. */
function isListed({ classes, places, hasComma }: Run, first: number, end: number): boolean {
  return hasComma && classes.subarray(places[first], places[end - 1]).includes(COMMA)
}

/**
 * With commas, a card number is written in three groups of four to six digits or more, or digit by digit. Groups of three
 * are an amount, and a further group of the same length makes a list.
 */
function isCardWithCommas(run: Run, first: number, end: number): boolean {
  const lengths = groupLengths(run, first, end)
  const [firstLength = 0] = lengths
  const lastLength = lengths.pop() ?? 0
  const isSpelled = lastLength === 1 && lengths.every((length) => length === 1)
  const isGrouped =
    lengths.length >= 2 && lastLength <= 6 && lengths.every((length) => length >= 4 && length <= 6)
  if (!isSpelled && !isGrouped) return false
  return lengthBefore(run, first) !== firstLength && lengthAfter(run, end) !== lastLength
}

function groupLengths(run: Run, first: number, end: number): number[] {
  const lengths: number[] = []
  for (let start = first; start < end; start += lengths.at(-1) ?? 1) lengths.push(lengthAfter(run, start))
  return lengths
}

/** The length of the group that starts at `start`; 0 at the end of the run. */
function lengthAfter(run: Run, start: number): number {
  let end = start
  while (end < run.count && (end === start || !startsGroup(run, end))) end++
  return end - start
}

/** The length of the group before `end`; 0 at the start of the run. */
function lengthBefore(run: Run, end: number): number {
  if (end === 0) return 0
  let start = end - 1
  while (!startsGroup(run, start)) start--
  return end - start
}

/** Whether the number continues after (or before) a dot. */
function touchesDot({ classes, places }: Run, index: number, direction: 1 | -1): boolean {
  const place = places[index] ?? 0
  return classes[place + direction] === DOT && isDigitAt(classes, place + 2 * direction)
}

/** The number of groups, and the length of the shortest inner group. */
function measureGroups(run: Run, first: number, end: number): { groups: number; shortestInner: number } {
  let groups = 1
  let shortestInner = LONGEST
  let start = first
  for (let index = first + 1; index < end; index++) {
    if (!startsGroup(run, index)) continue
    if (groups > 1) shortestInner = Math.min(shortestInner, index - start)
    groups++
    start = index
  }
  return { groups, shortestInner }
}

/** Two groups with a dot between them. */
function isDecimal({ classes, places }: Run, first: number, end: number): boolean {
  return classes.subarray(places[first], places[end - 1]).includes(DOT)
}
