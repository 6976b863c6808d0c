import { hexAt } from './hex-value.ts'
import { createViewBuilder, plainView, type TextView, type ViewBuilder } from './text-view.ts'

const ESCAPE = /\\[ux"/bfnrt\\]|%[2-7][0-9A-Fa-f]|&#[xX]?[0-9A-Fa-f]/
const BACKSLASH = 0x5c
const PERCENT = 0x25
const AMPERSAND = 0x26
const REFERENCE = /^&#(?:([0-9]{1,7})|[xX]([0-9A-Fa-f]{1,6}));?/
const LONGEST_REFERENCE = 12
const LAST_CODE_POINT = 0x10ffff
const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
])

/**
 * The text with its escapes read: those of JSON (`\u0040`), however often JSON was put into a JSON string (`\\\\u0040`),
 * those of URLs (`%40`, `%2540`) and the numeric ones of HTML (`&#64;`). Undefined when it has none. It is a second view and never the only one: `\n` in
 * `C:\new` is no line break.
 */
export function unescapedView(text: string): TextView | undefined {
  if (!ESCAPE.test(text)) return undefined
  const builder = createViewBuilder(plainView(text))
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

function addBackslashEscape(text: string, start: number, builder: ViewBuilder): number {
  let letter = start
  // Every level of nesting doubles the backslashes, so a whole run belongs to the one escape.
  while (text.charCodeAt(letter) === BACKSLASH) letter++
  const read = backslashEscape(text, letter)
  if (read === undefined) {
    builder.add(text.slice(start, letter), { start, end: letter })
    return letter
  }
  builder.add(read.character, { start, end: read.end })
  return read.end
}

function backslashEscape(text: string, letter: number): { character: string; end: number } | undefined {
  const name = text.charAt(letter)
  const short = SHORT_ESCAPES.get(name)
  if (short !== undefined) return { character: short, end: letter + 1 }
  const digits = name === 'u' ? 4 : name === 'x' ? 2 : 0
  const code = digits === 0 ? undefined : hexAt(text, letter + 1, digits)
  if (code === undefined) return undefined
  return { character: String.fromCharCode(code), end: letter + 1 + digits }
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
  const [reference = '', decimal, hex] = REFERENCE.exec(text.slice(start, start + LONGEST_REFERENCE)) ?? []
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number.parseInt(decimal, 10)
  if (!(code <= LAST_CODE_POINT)) {
    builder.addUnit(AMPERSAND, start, start + 1)
    return start + 1
  }
  const end = start + reference.length
  builder.add(String.fromCodePoint(code), { start, end })
  return end
}
