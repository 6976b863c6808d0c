/** 0 to 9. */
export function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39
}

/** A to Z in either case. */
export function isLetter(unit: number): boolean {
  const lower = unit | 0x20
  return lower >= 0x61 && lower <= 0x7a
}

/** A letter or a digit. */
export function isAlphanumeric(unit: number): boolean {
  return isDigit(unit) || isLetter(unit)
}

/** A character of base64url, of which tokens and most keys are made (RFC 4648, section 5). */
export function isBase64Url(unit: number): boolean {
  return isAlphanumeric(unit) || unit === 0x2d || unit === 0x5f
}

/** One of the characters of `set`, which is ASCII. */
export function anyOf(set: string): (unit: number) => boolean {
  const members = new Uint8Array(128)
  for (const character of set) members[character.charCodeAt(0)] = 1
  return (unit) => members[unit] === 1
}
