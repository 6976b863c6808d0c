const UNITS = 0x10000
/** The class of every character that a table does not mention. */
export const OTHER = 255

/** Gives the characters of each string the string's place in the list as their class. */
export function classTable(sets: readonly string[]): Uint8Array {
  const table = new Uint8Array(UNITS).fill(OTHER)
  for (const [place, set] of sets.entries()) {
    for (let i = 0; i < set.length; i++) table[set.charCodeAt(i)] = place
  }
  return table
}

/** The class of every code unit: read once, and then several times faster to look at than the text. */
export function classesOf(text: string, table: Uint8Array): Uint8Array {
  const classes = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) classes[i] = table[text.charCodeAt(i)] ?? OTHER
  return classes
}
