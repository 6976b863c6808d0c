import { outcomes, VENDOR_PREFIX } from '@agentic-rest/profile'
import type { Node } from 'oxc-parser'
import { literalText, patternText } from '../../source-file.ts'

// The prefix without its `application/`, and each subtype alone, so that gluing pieces together is seen as well.
const vendorTree = VENDOR_PREFIX.replace(/^[^/]*\//, '').replace(/\.$/, '')
const subtypes = Object.values(outcomes)
  .filter(({ mediaType }) => mediaType.startsWith(VENDOR_PREFIX))
  .map(({ mediaType }) => mediaType.slice(VENDOR_PREFIX.length))
const parts = new Set([vendorTree, ...subtypes])

/** The media types of the profile, or the parts of one, that a node spells. */
export function findMediaTypes(node: Node): string[] {
  const text = literalText(node) ?? patternText(node)?.replaceAll('\\', '')
  if (text === undefined) return []
  return [...parts].filter((part) => containsWord(text.toLowerCase(), part))
}

// `error+json` is not part of `validation-error+json`.
function containsWord(text: string, word: string): boolean {
  return text
    .split(word)
    .slice(0, -1)
    .some((before) => !/[\w-]$/.test(before))
}
