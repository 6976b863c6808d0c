import { isAlphanumeric } from '../characters.ts'
import type { Span } from '../text-view.ts'

const LENGTH = 36
const HYPHENS = [8, 13, 18, 23] as const
const HYPHEN = 0x2d
// Version and variant of RFC 9562, and a letter: a number of digits alone could be written to hide a value.
const UUID = /^(?=.*[a-f])[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

/** Whether a span lies within a UUID: one in ten thousand of them has the digits of a telephone or card number. */
export function isInUuid(text: string, { start, end }: Span): boolean {
  if (end - start > LENGTH) return false
  const hyphen = text.slice(start, end).indexOf('-')
  if (hyphen === -1) return false
  return HYPHENS.some((offset) => {
    const first = start + hyphen - offset
    return first >= 0 && first <= start && end <= first + LENGTH && isUuidAt(text, first)
  })
}

function isUuidAt(text: string, first: number): boolean {
  // Cheap: a text may have very many numbers with hyphens.
  if (HYPHENS.some((offset) => text.charCodeAt(first + offset) !== HYPHEN)) return false
  const isPart = isAlphanumeric(text.charCodeAt(first - 1)) || isAlphanumeric(text.charCodeAt(first + LENGTH))
  return !isPart && UUID.test(text.slice(first, first + LENGTH))
}
