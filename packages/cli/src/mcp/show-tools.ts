import { styleText } from 'node:util'
import { elementsOf, membersOf } from '@agentic-rest/profile'
import { terminalLine, textTable } from '../terminal-text.ts'
import { type ListedTool, type Tools, textOf } from './list-tools.ts'

/** The tools with their arguments, and the routes that are none, as lines for a terminal. */
export function showTools({ tools, missing = [] }: Tools, stream: NodeJS.WriteStream): string[] {
  const bold = (text: string) => styleText('bold', text, { stream })
  const shown = tools.flatMap((tool) => [...toolLines(tool, bold), ''])
  const rows = missing.map(({ route, code, message }) => [`  ${terminalLine(route)}`, code, message])
  return [
    ...(tools.length === 0 ? ['There is no tool.', ''] : shown),
    ...(rows.length === 0 ? [] : [bold('Routes that are no tools:'), ...textTable(rows), '']),
    `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`,
  ]
}

function toolLines(tool: ListedTool, bold: (text: string) => string): string[] {
  const title = terminalLine(textOf(tool['title']))
  const description = terminalLine(textOf(tool['description'])) || 'no description'
  const schema = membersOf(tool['inputSchema'])
  const required = new Set(elementsOf(schema['required']))
  const rows = Object.entries(membersOf(schema['properties'])).map(([name, property]) => [
    `    ${terminalLine(name)}`,
    typeOf(property),
    required.has(name) ? 'required' : '',
    terminalLine(textOf(membersOf(property)['description'])),
  ])
  return [
    `${bold(terminalLine(textOf(tool['name'])))}${title === '' ? '' : `  ${title}`}`,
    `  ${description}`,
    ...hintLine(membersOf(tool['annotations'])),
    ...textTable(rows),
    ...(schema['additionalProperties'] === false ? [] : ['    and any other argument']),
  ]
}

const hints: readonly (readonly [key: string, text: string])[] = [
  ['readOnlyHint', 'only reads'],
  ['destructiveHint', 'may destroy'],
  ['idempotentHint', 'may be repeated'],
]

function hintLine(annotations: Readonly<Record<string, unknown>>): string[] {
  const texts = hints.filter(([key]) => annotations[key] === true).map(([, text]) => text)
  return texts.length === 0 ? [] : [`  (${texts.join(', ')})`]
}

const MAX_LENGTH = 60

/** The type of an argument in a few words; the whole schema is in the JSON. */
function typeOf(property: unknown): string {
  const { type, enum: values, items, $ref } = membersOf(property)
  if (Array.isArray(values)) return cut(values.map((value) => JSON.stringify(value)).join(' | '))
  if (type === 'array') return cut(`list of ${typeOf(items)}`)
  if (Array.isArray(type)) return cut(type.join(' | '))
  return cut(textOf(type) || textOf($ref).replace(/^.*\//, '') || 'any')
}

function cut(text: string): string {
  const line = terminalLine(text)
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1)}…` : line
}
