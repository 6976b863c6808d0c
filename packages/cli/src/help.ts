import { styleText } from 'node:util'
import { PROFILE_VERSION } from '@agentic-rest/profile'
import type { Command, CommandRow, Operand, Option } from './command.ts'
import { type ExitCodeRow, exitCodeHelp } from './host.ts'

type Row = readonly [term: string, meaning: string]

/** The overview: `agentic --help`. */
export function overview(rows: readonly CommandRow[], stream: NodeJS.WriteStream): string {
  const heading = createHeading(stream)
  return [
    `A gateway that makes every answer of an agent service one of ten typed outcomes (profile ${PROFILE_VERSION}).`,
    `${heading('Usage:')} agentic COMMAND [OPTIONS]`,
    section(
      heading('Commands:'),
      rows.map(({ name, summary }): Row => [name, summary]),
    ),
    section(heading('Options:'), [
      ['-h, --help', 'Shows this help; after a command, the help of the command.'],
      ['-v, --version', 'Prints the version.'],
    ]),
    section(heading('Examples:'), [
      ['npx agentic dev', 'the reference stack on this machine'],
      ['npx agentic init my-agent', 'a new project'],
      ['npx agentic start -c gateway.yaml', 'a gateway'],
    ]),
    exitCodeSection(heading, exitCodeHelp),
  ].join('\n\n')
}

/** The help of one command: `agentic COMMAND --help`. */
export function commandHelp(command: Command, stream: NodeJS.WriteStream): string {
  const heading = createHeading(stream)
  const operands = command.operands.map(
    (operand): Row => [operand.name, `${operand.description}${choicesOf(operand)}`],
  )
  const parts = [
    command.description,
    `${heading('Usage:')} ${usage(command)}`,
    ...(operands.length === 0 ? [] : [section(heading('Arguments:'), operands)]),
    section(heading('Options:'), [...Object.entries(command.options).map(optionRow), helpRow]),
    section(
      heading(command.examples.length === 1 ? 'Example:' : 'Examples:'),
      command.examples.map((line): Row => [line, '']),
    ),
    ...(command.exitCodes === undefined ? [] : [exitCodeSection(heading, command.exitCodes)]),
  ]
  return parts.join('\n\n')
}

function exitCodeSection(heading: (text: string) => string, rows: readonly ExitCodeRow[]): string {
  return section(
    heading('Exit codes:'),
    rows.map(([code, meaning]): Row => [String(code), meaning]),
  )
}

const helpRow: Row = ['-h, --help', 'Shows this help.']

function usage({ name, operands, options }: Command): string {
  const required = Object.entries(options).filter(([, option]) => option.required)
  return [
    'agentic',
    name,
    ...operands.map(operandUsage),
    ...required.map(([long, { value }]) => `--${long} ${value}`),
    '[OPTIONS]',
  ].join(' ')
}

function operandUsage({ name, optional, repeated }: Operand): string {
  const text = repeated ? `${name}...` : name
  return optional ? `[${text}]` : text
}

function optionRow([name, option]: [string, Option]): Row {
  const short = option.short === undefined ? '    ' : `-${option.short}, `
  const value = option.value === undefined ? '' : ` ${option.value}`
  const again = option.multiple ? ' May be given several times.' : ''
  return [`${short}--${name}${value}`, `${option.description}${choicesOf(option)}${again}`]
}

function choicesOf({ choices, default: usual }: Pick<Option, 'choices' | 'default'>): string {
  if (choices === undefined) return ''
  return ` One of ${choices.join(', ')}${usual === undefined ? '' : `; ${usual} by default`}.`
}

function section(heading: string, rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([term]) => term.length))
  const lines = rows.map(([term, meaning]) => `  ${term.padEnd(width)}  ${meaning}`.trimEnd())
  return [heading, ...lines].join('\n')
}

// styleText adds no codes if the stream is not a terminal or NO_COLOR is set.
function createHeading(stream: NodeJS.WriteStream): (text: string) => string {
  return (text) => styleText('bold', text, { stream })
}
