import { type CharacterFolder, createCharacterFolder } from './fold-character.ts'
import { createViewBuilder, type Span, type TextView, type ViewBuilder } from './text-view.ts'

const UNUSUAL = /[^\t-\r\x20-\x7e]/
const NO_BASE = 0

/** Makes the view in which hidden, decorated and look-alike characters are plain ones; the same view if it has none. */
export type ViewReader = (view: TextView) => TextView

/** Makes a reader. It remembers how characters fold, so one should serve many texts. */
export function createViewReader(): ViewReader {
  const folder = createCharacterFolder()
  return (view) => (UNUSUAL.test(view.text) ? foldView(view, folder) : view)
}

function foldView(view: TextView, folder: CharacterFolder): TextView {
  const { text } = view
  const builder = createViewBuilder(view)
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

interface Unusual {
  readonly codePoint: number
  readonly start: number
  readonly end: number
  /** The visible character before it. */
  readonly base: number
  readonly folder: CharacterFolder
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
  // A mark that did not compose ends the composing, so that a heap of marks on one letter costs nothing.
  return joins ? NO_BASE : base
}

function addText(builder: ViewBuilder, text: string, place: Span): number {
  if (text.length === 1) builder.addUnit(text.charCodeAt(0), place.start, place.end)
  else builder.add(text, place)
  return text.codePointAt(0) ?? NO_BASE
}
