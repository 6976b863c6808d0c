import { printable, printableText } from '@agentic-rest/profile'

/** Makes text from outside safe for a terminal, on one line. */
export function terminalLine(text: string): string {
  return printableText(text).replaceAll(/[\n\t]+/g, ' ')
}

/** A value as JSON that is safe for a terminal. JSON.stringify leaves most invisible characters as they are. */
export function jsonText(value: unknown, indent = 2): string {
  const text: string | undefined = JSON.stringify(value, null, indent)
  const lines = (text ?? 'null').split('\n')
  return lines.map((line) => printable(line, escapeUnits)).join('\n')
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
