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
