/** One finding of a check. `path` is relative to the repository. */
export interface Fault {
  readonly path: string
  readonly line: number
  readonly message: string
}

/** The format of compilers: terminals and editors turn it into a link. */
export function formatFault({ path, line, message }: Fault): string {
  return `${path}:${line}: ${message}`
}

/** The line (from 1) of the first `needle` in `text`; 1 without one. */
export function lineOf(text: string, needle: string): number {
  const offset = text.indexOf(needle)
  return offset === -1 ? 1 : lineAt(text, offset)
}

/** The line (from 1) of the character at `offset`. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
