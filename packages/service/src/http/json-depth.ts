/** How deep JSON of a caller may be nested: deeper values overflow the stack of whoever walks or writes them (F14). */
export const MAX_JSON_DEPTH = 64

const OPENING = new Set([0x5b, 0x7b])
const CLOSING = new Set([0x5d, 0x7d])
const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Whether a JSON text nests deeper than a limit. It does not recurse, and does not care whether the text is JSON. */
export function isDeeperThan(text: string, maxDepth: number): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (OPENING.has(code)) depth += 1
    else if (CLOSING.has(code)) depth -= 1
    if (depth > maxDepth) return true
  }
  return false
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === BACKSLASH) at += 1
    else if (code === QUOTE) return at
  }
  return text.length
}
