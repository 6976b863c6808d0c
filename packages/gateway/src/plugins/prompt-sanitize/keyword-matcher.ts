import { NO_SPANS, type Span } from './text-view.ts'

interface Node {
  readonly next: Map<number, Node>
  /** The node of the longest proper suffix that starts a keyword too. */
  fallback: Node | undefined
  /** The longest keyword that ends here; 0 when none does. */
  length: number
}

interface MutableSpan {
  start: number
  end: number
}

/** Finds every keyword in one pass, however many there are (Aho and Corasick). */
export type KeywordMatcher = (text: string) => readonly Span[]

/** Makes a matcher of non-empty keywords. Text and keywords must be folded the same way. */
export function createKeywordMatcher(keywords: readonly string[]): KeywordMatcher {
  const root = createNode()
  for (const keyword of keywords) insert(root, keyword)
  link(root)
  // Most characters begin no keyword, and a flag is found faster than an entry of a map.
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

// Breadth first: a node's fallback is nearer to the root and so is linked already.
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

/** Keywords that overlap or touch are one place: a text of nothing but keywords makes one span, not a million. */
function addSpan(spans: MutableSpan[], start: number, end: number): void {
  // A longer keyword may reach back over shorter ones that ended within it.
  while (start < (spans.at(-1)?.start ?? 0)) spans.pop()
  const last = spans.at(-1)
  if (last !== undefined && start <= last.end) last.end = end
  else spans.push({ start, end })
}
