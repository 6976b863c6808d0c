import { type Span, type TextView, ViewBuilder } from './text-view.ts'

/** Creates a view from a view; returns the same view when nothing changes. */
export type ViewReader = (view: TextView) => TextView

/** The replacement of a character; `undefined` when it stays as it is. */
export type CharacterChange<Change> = (codePoint: number) => Change | undefined

/** A character in the readable view. */
interface FoldedCharacter {
  /** Empty for an invisible character. */
  readonly text: string
  /** The character may compose with the one before it. */
  readonly joins: boolean
}

/** Folds single characters and composes pairs, with a cache. */
interface CharacterFolder {
  /** `undefined` for a character that stays as it is and joins no other: most of them. */
  fold(codePoint: number): FoldedCharacter | undefined
  /** The single character that Unicode has for a pair, if any: `é` for `e` and a combining acute accent. */
  compose(base: number, mark: number): string | undefined
}

interface Unusual {
  readonly codePoint: number
  readonly start: number
  readonly end: number
  /** The visible character before it. */
  readonly base: number
  readonly folder: CharacterFolder
}

const UNUSUAL = /[^\t-\r\x20-\x7e]/
const NO_BASE = 0

// Invisible characters and decorating marks. White space that moves the cursor is kept: it separates.
const HIDDEN = /^(?:[\p{DI}\p{Cf}]|(?![\t-\r\u0085])\p{Cc})$/u
const DECORATION = /^[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]$/u
const DIGIT = /^\p{Nd}$/u
const DASH = /^[\p{Pd}\u2212]$/u
// The blank of Braille is a symbol to Unicode.
const SPACE = /^[\p{Zs}\u2800]$/u
const LINE_BREAK = /^[\u0085\u2028\u2029]$/u
const IDEOGRAPHIC_STOP = '\u3002'
const MOST_UNITS = 4
// Marks, and the vowels and finals of decomposed Hangul: they may compose with the character before them.
const JOINING = /^[\p{M}\u1161-\u1175\u11a8-\u11c2]$/u
// The caller chooses the pairs, and there are very many.
const MOST_PAIRS = 4096

const CODE_POINTS = 0x110000
const UNKNOWN = 0
const UNCHANGED = 1

/**
 * Creates the reader of the readable view, in which hidden, decorated and look-alike characters are plain ones. It caches
 * the folding of characters, so one reader should serve many texts.
 */
export function createViewReader(): ViewReader {
  const folder = createCharacterFolder()
  return (view) => (UNUSUAL.test(view.text) ? foldView(view, folder) : view)
}

function foldView(view: TextView, folder: CharacterFolder): TextView {
  const { text } = view
  const builder = new ViewBuilder(view)
  let base = NO_BASE
  for (let index = 0; index < text.length; ) {
    const codePoint = text.codePointAt(index) ?? NO_BASE
    const start = index
    index += codePoint > 0xffff ? 2 : 1
    if (codePoint >= 0x20 && codePoint < 0x7f) {
      builder.addUnit(codePoint, start, index)
      base = codePoint
    } else {
      base = addFolded(builder, { codePoint, start, end: index, base, folder })
    }
  }
  return builder.build()
}

/** Adds the character and returns the base for the next one. */
function addFolded(builder: ViewBuilder, { codePoint, start, end, base, folder }: Unusual): number {
  const folded = folder.fold(codePoint)
  if (folded === undefined) return addText(builder, String.fromCodePoint(codePoint), { start, end })
  const { text, joins } = folded
  const character = joins && base !== NO_BASE ? folder.compose(base, codePoint) : undefined
  if (character !== undefined) {
    builder.amendLast(character, end)
    return character.codePointAt(0) ?? NO_BASE
  }
  if (text !== '') return addText(builder, text, { start, end })
  builder.stretchLast(end)
  // After a mark that did not compose, no further mark is tried: many marks on one letter would be slow.
  return joins ? NO_BASE : base
}

function addText(builder: ViewBuilder, text: string, place: Span): number {
  if (text.length === 1) builder.addUnit(text.charCodeAt(0), place.start, place.end)
  else builder.add(text, place)
  return text.codePointAt(0) ?? NO_BASE
}

function createCharacterFolder(): CharacterFolder {
  const pairs = new Map<number, string | undefined>()
  return {
    fold: rememberChanges(foldCodePoint),
    compose(base, mark) {
      const key = base * CODE_POINTS + mark
      if (pairs.has(key)) return pairs.get(key)
      const character = composed(base, mark)
      if (pairs.size < MOST_PAIRS) pairs.set(key, character)
      return character
    },
  }
}

function foldCodePoint(codePoint: number): FoldedCharacter | undefined {
  const character = String.fromCodePoint(codePoint)
  const text = foldOne(character)
  const joins = JOINING.test(character)
  return text === character && !joins ? undefined : { text, joins }
}

/** Compatibility forms (full-width, circled, mathematical) become plain characters; digits of any script 0 to 9. */
function foldOne(character: string): string {
  if (HIDDEN.test(character) || DECORATION.test(character)) return ''
  if (LINE_BREAK.test(character)) return '\n'
  const plain = character.normalize('NFKC')
  // Signs for whole phrases stay as they are: none hides a value, and a text of them would grow without bound.
  if (plain.length > MOST_UNITS) return character
  return Array.from(plain, simplify).join('')
}

function simplify(character: string): string {
  if (character <= '\u007f') return character
  if (DIGIT.test(character)) return String(digitValue(character))
  if (DASH.test(character)) return '-'
  if (SPACE.test(character)) return ' '
  if (character === IDEOGRAPHIC_STOP) return '.'
  return DECORATION.test(character) ? '' : character
}

/** Unicode orders the digits of every script from 0 to 9 without gaps, so the distance from the first is the value. */
function digitValue(character: string): number {
  const codePoint = character.codePointAt(0) ?? 0
  let before = 0
  while (DIGIT.test(String.fromCodePoint(codePoint - before - 1))) before++
  return before % 10
}

function composed(base: number, mark: number): string | undefined {
  const text = String.fromCodePoint(base, mark).normalize('NFKC')
  const isOne = text.length === 1 || (text.length === 2 && (text.codePointAt(0) ?? 0) > 0xffff)
  return isOne ? text : undefined
}

/**
 * Caches the changes of characters. An unchanged character, the usual case, costs one byte: a caller who sends every
 * character of Unicode must not fill the memory.
 */
export function rememberChanges<Change>(change: CharacterChange<Change>): CharacterChange<Change> {
  const states = new Uint8Array(CODE_POINTS)
  const changes = new Map<number, Change>()
  return function remembered(codePoint) {
    if (states[codePoint] === UNCHANGED) return undefined
    const seen = states[codePoint] === UNKNOWN ? undefined : changes.get(codePoint)
    if (seen !== undefined) return seen
    const made = change(codePoint)
    if (made !== undefined) changes.set(codePoint, made)
    states[codePoint] = made === undefined ? UNCHANGED : UNCHANGED + 1
    return made
  }
}
