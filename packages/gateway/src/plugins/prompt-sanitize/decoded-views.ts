import { hexAt, isDigit, isHexDigit, runEnd } from './characters.ts'
import { type TextView, ViewBuilder } from './text-view.ts'

const ESCAPE = /\\[ux"/bfnrt\\]|%[2-7][0-9A-Fa-f]|&#[xX]?[0-9A-Fa-f]/
const BACKSLASH = 0x5c
const PERCENT = 0x25
const AMPERSAND = 0x26
/** The character of the letter after a backslash; 0 for a letter without one. */
const SHORT_ESCAPES = shortEscapes({ '"': '"', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' })
const LETTER_U = 0x75
const LETTER_X = 0x78
const HASH = 0x23
const SEMICOLON = 0x3b
const MOST_REFERENCE_DIGITS = 7
const LAST_CODE_POINT = 0x10ffff

// Tag characters (U+E0020 to U+E007E) are invisible, and language models read them as the ASCII characters they repeat.
const TAG = 0xdb40
const FIRST_TAG = 0xdc20
const LAST_TAG = 0xdc7e
const TAG_TO_ASCII = 0xdc00
// The fillers of Hangul look like a blank or like nothing.
const isFiller = (unit: number) => unit === 0x3164 || unit === 0x1160 || unit === 0x115f || unit === 0xffa0
const HIDDEN_TEXT = /\udb40[\udc20-\udc7e]|[\u115f\u1160\u3164\uffa0]/
const BLANK = 0x20
const NO_VIEWS: readonly TextView[] = []

/**
 * The further forms of a text: with decoded escapes, with visible tag characters and fillers, and with both. The readable
 * view drops tags and fillers; here they count as characters. `isPlain` says that the text has only usual ones.
 */
export function decodedViews(source: TextView, isPlain: boolean): readonly TextView[] {
  const unescaped = unescapedView(source)
  if (unescaped === undefined && isPlain) return NO_VIEWS
  const revealed = revealedView(unescaped ?? source)
  const both = revealed && unescapedView(revealed)
  return [unescaped, revealed, both].filter((view) => view !== undefined)
}

/** Shows tag characters as ASCII and fillers as blanks; `undefined` when a text has none. */
function revealedView(view: TextView): TextView | undefined {
  const { text } = view
  if (!HIDDEN_TEXT.test(text)) return undefined
  const builder = new ViewBuilder(view)
  for (let index = 0; index < text.length; ) {
    const unit = text.charCodeAt(index)
    const next = text.charCodeAt(index + 1)
    if (unit === TAG && next >= FIRST_TAG && next <= LAST_TAG) {
      builder.addUnit(next - TAG_TO_ASCII, index, index + 2)
      index += 2
    } else builder.addUnit(isFiller(unit) ? BLANK : unit, index, ++index)
  }
  return builder.build()
}

/**
 * Decodes the escapes of a text: those of JSON (`\u0040`), also of JSON nested in JSON strings (`\\\\u0040`), those of
 * URLs (`%40`, `%2540`) and the numeric ones of HTML (`&#64;`). `undefined` when it has none. Rules search this view in
 * addition to the source, never instead of it: `\n` in `C:\new` is no line break.
 */
function unescapedView(view: TextView): TextView | undefined {
  const { text } = view
  if (!ESCAPE.test(text)) return undefined
  const builder = new ViewBuilder(view)
  let index = 0
  while (index < text.length) {
    const unit = text.charCodeAt(index)
    if (unit === BACKSLASH) index = addBackslashEscape(text, index, builder)
    else if (unit === PERCENT) index = addPercentEscape(text, index, builder)
    else if (unit === AMPERSAND) index = addReference(text, index, builder)
    else builder.addUnit(unit, index, ++index)
  }
  return builder.build()
}

function shortEscapes(escapes: Readonly<Record<string, string>>): Uint8Array {
  const units = new Uint8Array(128)
  for (const [letter, character] of Object.entries(escapes))
    units[letter.charCodeAt(0)] = character.charCodeAt(0)
  return units
}

function addBackslashEscape(text: string, start: number, builder: ViewBuilder): number {
  let letter = start
  // Every level of nesting doubles the backslashes, so a whole run belongs to one escape.
  while (text.charCodeAt(letter) === BACKSLASH) letter++
  const name = text.charCodeAt(letter)
  const short = SHORT_ESCAPES[name] ?? 0
  if (short !== 0) {
    builder.addUnit(short, start, letter + 1)
    return letter + 1
  }
  const digits = name === LETTER_U ? 4 : name === LETTER_X ? 2 : 0
  const unit = digits === 0 ? undefined : hexAt(text, letter + 1, digits)
  const end = unit === undefined ? letter : letter + 1 + digits
  builder.addUnit(unit ?? BACKSLASH, start, end)
  return end
}

function addPercentEscape(text: string, start: number, builder: ViewBuilder): number {
  let digits = start + 1
  // `%2540` is `%40` encoded once more.
  while (text.startsWith('25', digits) && hexAt(text, digits + 2, 2) !== undefined) digits += 2
  const code = hexAt(text, digits, 2)
  const printable = code !== undefined && code >= 0x20 && code < 0x7f
  const end = printable ? digits + 2 : start + 1
  builder.addUnit(printable ? code : PERCENT, start, end)
  return end
}

function addReference(text: string, start: number, builder: ViewBuilder): number {
  const isHex = (text.charCodeAt(start + 2) | 0x20) === LETTER_X
  const digits = text.charCodeAt(start + 1) === HASH ? start + (isHex ? 3 : 2) : start
  const end = runEnd(text, digits, isHex ? isHexDigit : isDigit)
  const code = Number.parseInt(text.slice(digits, end), isHex ? 16 : 10)
  if (digits === start || end === digits || end - digits > MOST_REFERENCE_DIGITS || code > LAST_CODE_POINT) {
    builder.addUnit(AMPERSAND, start, start + 1)
    return start + 1
  }
  const after = text.charCodeAt(end) === SEMICOLON ? end + 1 : end
  builder.add(String.fromCodePoint(code), { start, end: after })
  return after
}
