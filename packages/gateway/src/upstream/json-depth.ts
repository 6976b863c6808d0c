const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING = new Set([0x5b, 0x7b])
const CLOSING = new Set([0x5d, 0x7d])

/**
 * Whether a JSON text nests deeper than a limit (F14). It does not recurse, does not care whether the text is JSON,
 * and takes milliseconds where parsing a megabyte of brackets would hold everybody up for a third of a second.
 */
export function isDeeperThan(bytes: Uint8Array, maxDepth: number): boolean {
  let depth = 0
  let inText = false
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte === QUOTE) inText = !inText
    else if (inText) at += byte === BACKSLASH ? 1 : 0
    else if (OPENING.has(byte)) depth += 1
    else if (CLOSING.has(byte)) depth -= 1
    if (depth > maxDepth) return true
  }
  return false
}
