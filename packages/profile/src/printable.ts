// Control, formatting, private, unassigned and half characters, separators of lines, everything that Unicode shows as
// nothing (variation selectors, fillers, tags), and the blank of Braille.
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu

/**
 * Shows every character that is invisible, changes the direction of a text or steers a terminal as its code, such as
 * `\u{202e}`. Line breaks and tabs are among them. `write` gives another form of the code.
 */
export function printable(text: string, write: (character: string) => string = codeOf): string {
  return text.replace(HIDDEN, write)
}

/** The same for a text of several lines: line breaks and tabs stay. */
export function printableText(text: string): string {
  return text
    .split(/(\r?\n|\t)/)
    .map((part, index) => (index % 2 === 1 ? part.replace('\r', '') : printable(part)))
    .join('')
}

function codeOf(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`
}
