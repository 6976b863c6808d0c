import { hasLookAlike, latinLookAlike } from './look-alikes.ts'
import { type CharacterChange, rememberChanges, type ViewReader } from './readable-view.ts'
import { NO_SPANS, plainView, type Span, sourceSpan, type TextView, ViewBuilder } from './text-view.ts'

/** Finds all keywords in one pass, whatever their number (Aho and Corasick). */
export type KeywordMatcher = (text: string) => readonly Span[]

interface Node {
  readonly next: Map<number, Node>
  /** The node of the longest proper suffix that begins a keyword too. */
  fallback: Node | undefined
  /** The length of the longest keyword that ends here; 0 when none does. */
  length: number
}

interface MutableSpan {
  start: number
  end: number
}

/** A fold of characters, with the results of one code unit in an array: a text of such letters needs no map. */
interface CaseFolder {
  readonly fold: CharacterChange<string>
  /** The folded unit of a unit; `NO_UNIT` while it is not known, or not one unit. */
  readonly units: Uint16Array
}

const NEEDS_BUILDING = /[^\x20-\x7e]| {2}/
const WHITE_SPACE = /^\s$/
const BLANK = ' '
const BLANK_UNIT = 0x20
const NO_UNIT = 0

/** Creates a matcher of non-empty keywords. Text and keywords must be folded by the same reader. */
export function createKeywordMatcher(keywords: readonly string[]): KeywordMatcher {
  const root = createNode()
  for (const keyword of keywords) insert(root, keyword)
  link(root)
  // Most characters begin no keyword. An array look-up is faster than one in a map.
  const begins = new Uint8Array(0x10000)
  for (const unit of root.next.keys()) begins[unit] = 1
  return (text) => search({ root, begins }, text)
}

function createNode(): Node {
  return { next: new Map(), fallback: undefined, length: 0 }
}

function insert(root: Node, keyword: string): void {
  let node = root
  for (let i = 0; i < keyword.length; i++) {
    const unit = keyword.charCodeAt(i)
    const child = node.next.get(unit) ?? createNode()
    node.next.set(unit, child)
    node = child
  }
  node.length = keyword.length
}

// Breadth first: the fallback of a node is nearer to the root, so it is already linked.
function link(root: Node): void {
  const queue = [root]
  for (const node of queue) {
    for (const [unit, child] of node.next) {
      child.fallback = step(node.fallback, unit) ?? root
      child.length = Math.max(child.length, child.fallback.length)
      queue.push(child)
    }
  }
}

function step(from: Node | undefined, unit: number): Node | undefined {
  for (let node = from; node !== undefined; node = node.fallback) {
    const child = node.next.get(unit)
    if (child !== undefined) return child
  }
  return undefined
}

function search({ root, begins }: { root: Node; begins: Uint8Array }, text: string): readonly Span[] {
  const spans: MutableSpan[] = []
  let node = root
  for (let end = 1; end <= text.length; end++) {
    const unit = text.charCodeAt(end - 1)
    if (node === root && begins[unit] === 0) continue
    node = step(node, unit) ?? root
    if (node.length === 0) continue
    addSpan(spans, end - node.length, end)
  }
  return spans.length === 0 ? NO_SPANS : spans
}

/** Joins keywords that overlap or touch: a text of nothing but keywords has one span, not a million. */
function addSpan(spans: MutableSpan[], start: number, end: number): void {
  // A longer keyword may contain shorter ones that ended earlier.
  while (start < (spans.at(-1)?.start ?? 0)) spans.pop()
  const last = spans.at(-1)
  if (last !== undefined && start <= last.end) last.end = end
  else spans.push({ start, end })
}

/** The readers of the views for keywords. They have large caches, so all rules share them. */
export interface KeywordReaders {
  /** Case is folded, and a run of white space is one blank. */
  readonly folded: ViewReader
  /** The same with Latin letters for those of Cyrillic and Greek that look like them. */
  readonly latin: ViewReader
}

/** Creates the readers. */
export function createKeywordReaders(): KeywordReaders {
  const fold = createFolder(foldCase)
  // The look of a letter depends on its case: capital Nu is an N, small nu a v.
  const foldLatin = createFolder((codePoint) => latinLookAlike(codePoint) ?? foldCase(codePoint))
  return {
    folded(view) {
      if (NEEDS_BUILDING.test(view.text)) return foldView(view, fold)
      return { text: view.text.toLowerCase(), origin: view.origin }
    },
    latin: (view) => foldView(view, foldLatin),
  }
}

function createFolder(change: CharacterChange<string>): CaseFolder {
  return { fold: rememberChanges(change), units: new Uint16Array(0x10000) }
}

/** Finds keywords in a readable view; spans are those of the source. */
export type KeywordSearch = (view: TextView) => readonly Span[]

/** Creates the search for readable keywords; `undefined` when one of them has no visible character. */
export function createKeywordSearch(
  keywords: readonly string[],
  { folded, latin }: KeywordReaders,
): KeywordSearch | undefined {
  const plain = keywords.map((keyword) => folded(plainView(keyword)).text.trim())
  if (plain.includes('')) return undefined
  const match = createKeywordMatcher(plain)
  const matchLatin = createKeywordMatcher(
    keywords
      .flatMap((keyword) => [keyword, keyword.toLowerCase(), keyword.toUpperCase()])
      .map((keyword) => latin(plainView(keyword)).text.trim()),
  )
  return function searchKeywords(view) {
    const found = spansIn(folded(view), match)
    // Texts in Latin letters alone are searched once: no keyword of another alphabet is found in them.
    return hasLookAlike(view.text) ? [...found, ...spansIn(latin(view), matchLatin)] : found
  }
}

function spansIn(view: TextView, match: KeywordMatcher): readonly Span[] {
  const spans = match(view.text)
  return spans.length === 0 || view.origin === undefined ? spans : spans.map((span) => sourceSpan(view, span))
}

function foldView(view: TextView, folder: CaseFolder): TextView {
  const { text } = view
  const builder = new ViewBuilder(view)
  let inBlank = false
  for (let index = 0; index < text.length; ) {
    const start = index
    const codePoint = text.codePointAt(index) ?? 0
    index += codePoint > 0xffff ? 2 : 1
    const unit = folder.units[codePoint] || learnUnit(folder, codePoint)
    if (unit === BLANK_UNIT && inBlank) builder.stretchLast(index)
    else if (unit !== NO_UNIT) builder.addUnit(unit, start, index)
    else builder.add(foldedText(folder, codePoint), { start, end: index })
    inBlank = unit === BLANK_UNIT
  }
  return builder.build()
}

/** The folded unit of a character, which is stored; `NO_UNIT` when it has several, and for NUL. */
function learnUnit(folder: CaseFolder, codePoint: number): number {
  const folded = foldedText(folder, codePoint)
  if (folded.length > 1) return NO_UNIT
  const unit = folded.charCodeAt(0)
  if (codePoint < folder.units.length) folder.units[codePoint] = unit
  return unit
}

function foldedText({ fold }: CaseFolder, codePoint: number): string {
  return fold(codePoint) ?? String.fromCodePoint(codePoint)
}

/** Folds through both cases, which is full case folding: sharp s becomes `ss`, both small sigmas become one. */
function foldCase(codePoint: number): string | undefined {
  const character = String.fromCodePoint(codePoint)
  if (WHITE_SPACE.test(character)) return BLANK
  const folded = character.toLowerCase().toUpperCase().toLowerCase()
  // The lower case of the Turkish capital I has a combining dot, which is a decoration.
  if (folded === 'i\u0307') return 'i'
  return folded === character ? undefined : folded
}
