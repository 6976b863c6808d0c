import { printable } from '@agentic-rest/gateway'

/**
 * Makes text from outside safe for a terminal. Line breaks and tabs stay; control characters and characters that
 * reorder a line are shown as codes.
 */
export function terminalText(text: string): string {
  return text
    .split(/(\r?\n|\t)/)
    .map((part, index) => (index % 2 === 1 ? part.replace('\r', '') : printable(part)))
    .join('')
}

/** Makes text from outside safe for a terminal, on one line. */
export function terminalLine(text: string): string {
  return terminalText(text).replaceAll(/[\n\t]+/g, ' ')
}

/**
 * A value as JSON that is safe for a terminal. JSON.stringify leaves some control characters and characters that
 * reorder a line; this function escapes them.
 */
export function jsonText(value: unknown, indent = 2): string {
  const text: string | undefined = JSON.stringify(value, null, indent)
  return (text ?? 'null').replace(/[^\n\P{C}]|[\u2028\u2029]/gu, escapeUnits)
}

function escapeUnits(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}

/** Rows as lines of aligned columns, without trailing blanks. */
export function textTable(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = []
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length)
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
