/** The number that `digits` hexadecimal digits from `start` on give; undefined when they are not all digits. */
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

/** 0 to 9 and A to F in either case. */
export function isHexDigit(unit: number): boolean {
  return hexValue(unit) !== undefined
}
