import { rememberChanges } from './character-memo.ts'

// Invisible or a mark that only decorates. Spaces that move the cursor are kept: they separate.
const HIDDEN = /^(?:[\p{DI}\p{Cf}]|(?![\t-\r\u0085])\p{Cc})$/u
const DECORATION = /^[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]$/u
const DIGIT = /^\p{Nd}$/u
const DASH = /^[\p{Pd}\u2212]$/u
const SPACE = /^\p{Zs}$/u
const LINE_BREAK = /^[\u0085\u2028\u2029]$/u
const IDEOGRAPHIC_STOP = '\u3002'
const MOST_UNITS = 4
// Marks and the vowels and finals of decomposed Hangul: they may form one character with what stands before them.
const JOINING = /^[\p{M}\u1161-\u1175\u11a8-\u11c2]$/u

/** What becomes of one character in the view that rules read. */
export interface FoldedCharacter {
  /** Empty for a character that nobody sees. */
  readonly text: string
  /** It may compose with the character before it. */
  readonly joins: boolean
}

/** Folds characters one by one and composes pairs; it remembers what it has seen. */
export interface CharacterFolder {
  /** Undefined for a character that stays as it is and joins no other: most of them. */
  fold(codePoint: number): FoldedCharacter | undefined
  /** The one character that Unicode has for two, if it has one: `e` and a combining acute accent. */
  compose(base: number, mark: number): string | undefined
}

// The caller chooses the pairs, and there are very many.
const MOST_PAIRS = 4096

/** Makes a folder with a memory of its own. */
export function createCharacterFolder(): CharacterFolder {
  const pairs = new Map<number, string | undefined>()
  return {
    fold: rememberChanges(foldCodePoint),
    compose(base, mark) {
      const key = base * 0x110000 + mark
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

/** Compatibility forms become the plain character (full-width, circled, mathematical), any script's digits 0 to 9. */
function foldOne(character: string): string {
  if (HIDDEN.test(character) || DECORATION.test(character)) return ''
  if (LINE_BREAK.test(character)) return '\n'
  const plain = character.normalize('NFKC')
  // Signs that stand for whole phrases stay as they are: none hides a value, and a text of them would grow out of bounds.
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

/** The digits of every script stand together in order, ten by ten; so the distance from the first gives the value. */
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
