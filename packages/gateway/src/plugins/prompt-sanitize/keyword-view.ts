import { type CharacterChange, rememberChanges } from './character-memo.ts'
import type { ViewReader } from './readable-view.ts'
import { createViewBuilder, type TextView } from './text-view.ts'

const NEEDS_BUILDING = /[^\x20-\x7e]| {2}/
const WHITE_SPACE = /^\s$/
const BLANK = ' '

type CaseFolder = CharacterChange<string>

/** Makes the views that keywords are looked up in: case does not matter, and any run of white space is one blank. */
export function createKeywordReader(): ViewReader {
  const fold = rememberChanges(foldCase)
  return function readForKeywords(view) {
    if (NEEDS_BUILDING.test(view.text)) return foldView(view, fold)
    return { text: view.text.toLowerCase(), origin: view.origin }
  }
}

function foldView(view: TextView, fold: CaseFolder): TextView {
  const { text } = view
  const builder = createViewBuilder(view)
  let inBlank = false
  for (let index = 0; index < text.length; ) {
    const start = index
    const codePoint = text.codePointAt(index) ?? 0
    index += codePoint > 0xffff ? 2 : 1
    if (codePoint > 0x20 && codePoint < 0x7f) {
      builder.addUnit(lowerAscii(codePoint), start, index)
      inBlank = false
      continue
    }
    const folded = fold(codePoint) ?? text.slice(start, index)
    if (folded === BLANK && inBlank) builder.stretchLast(index)
    else builder.add(folded, { start, end: index })
    inBlank = folded === BLANK
  }
  return builder.build()
}

function lowerAscii(unit: number): number {
  return unit >= 0x41 && unit <= 0x5a ? unit + 0x20 : unit
}

/** Full case folding by way of both cases: sharp s becomes `ss`, both small sigmas become one. */
function foldCase(codePoint: number): string | undefined {
  const character = String.fromCodePoint(codePoint)
  if (WHITE_SPACE.test(character)) return BLANK
  const folded = character.toLowerCase().toUpperCase().toLowerCase()
  // The dot that lower-casing a Turkish capital I leaves behind is a decoration.
  if (folded === 'i\u0307') return 'i'
  return folded === character ? undefined : folded
}
