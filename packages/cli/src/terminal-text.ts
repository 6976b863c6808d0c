import { printable } from '@agentic-rest/gateway'

/**
 * Text from outside as a terminal may get it: line breaks and tabs stay, everything else that could steer the terminal
 * or reorder a line is shown as its code.
 */
export function terminalText(text: string): string {
  return text
    .split(/(\r?\n|\t)/)
    .map((part, index) => (index % 2 === 1 ? part.replace('\r', '') : printable(part)))
    .join('')
}

/** The same on one line. */
export function terminalLine(text: string): string {
  return terminalText(text).replaceAll(/[\n\t]+/g, ' ')
}

/**
 * A value as JSON that a terminal may get and every parser still reads: JSON leaves some control characters and those
 * that reorder a line as they are, and here they are escaped too.
 */
export function jsonText(value: unknown, indent = 2): string {
  const text: string | undefined = JSON.stringify(value, null, indent)
  return (text ?? 'null').replace(/[^\n\P{C}]|[\u2028\u2029]/gu, escapeUnits)
}

function escapeUnits(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}
