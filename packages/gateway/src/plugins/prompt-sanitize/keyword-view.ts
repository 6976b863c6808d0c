import type { ViewReader } from './readable-view.ts'
import { createViewBuilder, type TextView } from './text-view.ts'

const NEEDS_BUILDING = /[^\x20-\x7e]| {2}/
const WHITE_SPACE = /^\s$/
const BLANK = ' '

type CaseFolder = (codePoint: number) => string

/** Makes the views that keywords are looked up in: case does not matter, and any run of white space is one blank. */
export function createKeywordReader(): ViewReader {
  const fold = createCaseFolder()
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
    const folded = fold(codePoint)
    if (folded === BLANK && inBlank) builder.stretchLast(index)
    else builder.add(folded, { start, end: index })
    inBlank = folded === BLANK
  }
  return builder.build()
}

function lowerAscii(unit: number): number {
  return unit >= 0x41 && unit <= 0x5a ? unit + 0x20 : unit
}

/** Remembers each character it has seen: at most one entry per character there is. */
function createCaseFolder(): CaseFolder {
  const known = new Map<number, string>()
  return function foldCase(codePoint) {
    const seen = known.get(codePoint)
    if (seen !== undefined) return seen
    const folded = foldOne(String.fromCodePoint(codePoint))
    known.set(codePoint, folded)
    return folded
  }
}

/** Full case folding by way of both cases: sharp s becomes `ss`, both small sigmas become one. */
function foldOne(character: string): string {
  if (WHITE_SPACE.test(character)) return BLANK
  const folded = character.toLowerCase().toUpperCase().toLowerCase()
  // The dot that lower-casing a Turkish capital I leaves behind is a decoration.
  return folded === 'i\u0307' ? 'i' : folded
}
