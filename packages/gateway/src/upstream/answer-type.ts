import { headerKeys, isVendorType, mediaTypeEssence } from '@agentic-rest/profile'
import { memoized } from './bounded-memo.ts'
import { joinedHeader } from './upstream-answer.ts'

const QUOTED = /"(?:[^"\\]|\\.)*"/g

/**
 * The media type of an answer: lower case, without parameters. Should there be several, or one that is malformed, it is
 * the one that a client could take for the profile's own: nothing typed passes unchecked because of its form.
 */
export function answerType(rawHeaders: readonly string[]): string | undefined {
  const value = joinedHeader(rawHeaders, headerKeys.contentType)
  return value === undefined ? undefined : typeIn(value)
}

const typeIn = memoized((value): string | undefined => {
  // Clients that get several take the first or the last (Fetch, "extract a MIME type"); a quoted comma is none.
  const parts = value.replaceAll(QUOTED, '').toLowerCase().split(',')
  const types = new Set(parts.map((part) => mediaTypeEssence(part) ?? part.trim()))
  const [first, ...others] = types
  return [...types].find(isVendorType) ?? (others.length === 0 ? mediaTypeEssence(first) : undefined)
})
