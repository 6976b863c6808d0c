// Control, formatting, private, unassigned and half characters, separators, and everything
// that Unicode shows as nothing (variation selectors, fillers, tags). No property names the characters at the end,
// which are drawn as nothing or as a blank: joiners and fillers of Tifinagh, Brahmi and Khitan, the blank of Braille, the
// object of another document, the blanks of hieroglyphs and the note without a head.
// Blanks that texts of people have stay: the space, the no-break spaces of French and the wide one of Japanese.
const HIDDEN =
  /(?![ \u00a0\u202f\u3000])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2d7f\u{1107f}\u{16fe4}\u2800\ufffc\u{13441}\u{13442}\u{1d159}]/gu

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
