/** 0 to 9. */
export function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39
}

/** A to Z in either case. */
function isLetter(unit: number): boolean {
  const lower = unit | 0x20
  return lower >= 0x61 && lower <= 0x7a
}

/** A letter or a digit. */
export function isAlphanumeric(unit: number): boolean {
  return isDigit(unit) || isLetter(unit)
}

/** A character of base64url, the alphabet of tokens and most keys (RFC 4648, section 5). */
export function isBase64Url(unit: number): boolean {
  return isAlphanumeric(unit) || unit === 0x2d || unit === 0x5f
}

/** 0 to 9 and A to F in either case. */
export function isHexDigit(unit: number): boolean {
  return hexValue(unit) !== undefined
}

/** Creates a test for the characters of `set`, which is ASCII. */
export function anyOf(set: string): (unit: number) => boolean {
  const members = new Uint8Array(128)
  for (const character of set) members[character.charCodeAt(0)] = 1
  return (unit) => members[unit] === 1
}

/** The end of the run from `start` on: the index of the first character that `belongs` refuses. */
export function runEnd(text: string, start: number, belongs: (unit: number) => boolean): number {
  let end = start
  while (end < text.length && belongs(text.charCodeAt(end))) end++
  return end
}

/** The value of `digits` hexadecimal digits from `start` on; `undefined` when one of them is no digit. */
export function hexAt(text: string, start: number, digits: number): number | undefined {
  let value = 0
  for (let i = start; i < start + digits; i++) {
    const digit = hexValue(text.charCodeAt(i))
    if (digit === undefined) return undefined
    value = value * 16 + digit
  }
  return value
}

function hexValue(unit: number): number | undefined {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30
  const lower = unit | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : undefined
}

const UNITS = 0x10000

/** The class of every character outside the sets of a table. */
export const OTHER = 255

/** Creates a table of character classes: the class of a character is the index of its set. */
export function classTable(sets: readonly string[]): Uint8Array {
  const table = new Uint8Array(UNITS).fill(OTHER)
  for (const [index, set] of sets.entries()) {
    for (let i = 0; i < set.length; i++) table[set.charCodeAt(i)] = index
  }
  return table
}

/** The class of every code unit of a text. Repeated look-ups are several times faster here than in the text. */
export function classesOf(text: string, table: Uint8Array): Uint8Array {
  const classes = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) classes[i] = table[text.charCodeAt(i)] ?? OTHER
  return classes
}
