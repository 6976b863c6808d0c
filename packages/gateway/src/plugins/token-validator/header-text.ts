// A blank at an edge would be lost on the wire, and " alice" would arrive upstream as somebody else's "alice".
const HEADER_TEXT = /^[\x21-\x7e](?:[\x20-\x7e]{0,254}[\x21-\x7e])?$/

/** Whether a text goes through a header unchanged: printable ASCII, 1 to 256 characters, no blank at an edge. */
export function isHeaderText(value: string): boolean {
  return HEADER_TEXT.test(value)
}
