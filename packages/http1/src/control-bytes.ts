/** The bytes that are looked at together. */
export const WORD_BYTES = 4
const HIGH_BITS = 0x80808080 | 0

/**
 * Whether one of the four bytes of a word is a control character: below 0x20, or 0x7f. A look at each byte, by a table or a
 * regular expression, took half of the time for a head (`bench/reader-cost.ts`).
 */
export function hasControlByte(word: number): boolean {
  const other = word ^ 0x7f7f7f7f
  // The high bit of such a byte is set; sometimes also that of the byte behind it.
  const isBelow = (word - 0x20202020) & ~word
  const isDelete = (other - 0x01010101) & ~other
  return ((isBelow | isDelete) & HIGH_BITS) !== 0
}
