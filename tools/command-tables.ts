import { checkRules } from '../packages/cli/src/check/findings.ts'
import type { Command, Operand, Option } from '../packages/cli/src/command.ts'
import { commands } from '../packages/cli/src/commands.ts'
import { codeText, markdownTable, tableText } from './generated.ts'

/** Every command with its summary. */
export async function commandsTable(): Promise<string> {
  const loaded = await loadAll()
  return markdownTable(
    ['Command', 'Purpose'],
    loaded.map(({ command, summary }) => [codeText(usageOf(command)), tableText(summary)]),
  )
}

/** Every option of every command, with the first example of each. */
export async function optionTables(): Promise<string> {
  const loaded = await loadAll()
  return loaded.map(({ command }) => optionTable(command)).join('\n\n')
}

/** The findings of `agentic check`. */
export function findingsTable(): string {
  return markdownTable(
    ['Id', 'Meaning'],
    Object.entries(checkRules).map(([id, meaning]) => [codeText(id), tableText(meaning)]),
  )
}

async function loadAll(): Promise<{ command: Command; summary: string }[]> {
  return await Promise.all(commands.map(async ({ summary, load }) => ({ summary, command: await load() })))
}

function optionTable({ name, operands, options, examples: [example = ''] }: Command): string {
  const rows = [
    ...operands.map((operand): [string, string] => [operandText(operand), meaningOf(operand)]),
    ...Object.entries(options).map((entry): [string, string] => [flagsOf(entry), meaningOf(entry[1])]),
  ]
  const heading = [codeText(`npx agentic ${name}`), `for example ${codeText(tableText(withNpx(example)))}`]
  return markdownTable(heading, rows.length === 0 ? [['no arguments', '']] : rows.map(toCells))
}

function toCells([term, meaning]: [string, string]): string[] {
  return [codeText(tableText(term)), tableText(meaning)]
}

function usageOf({ name, operands }: Command): string {
  return ['npx agentic', name, ...operands.map(operandText)].join(' ')
}

/** Help texts name the command alone; pages show what a reader of a clone or a project types. */
function withNpx(example: string): string {
  return example.replaceAll(/(?<=^|\$\()agentic /g, 'npx agentic ')
}

function operandText({ name, optional, repeated }: Operand): string {
  const text = repeated ? `${name}...` : name
  return optional ? `[${text}]` : text
}

function flagsOf([name, { short, value }]: [string, Option]): string {
  return [
    ...(short === undefined ? [] : [`-${short}`]),
    `--${name}${value === undefined ? '' : ` ${value}`}`,
  ].join(', ')
}

function meaningOf({ description, choices }: Pick<Option, 'description' | 'choices'>): string {
  return choices === undefined ? description : `${description} One of ${choices.join(', ')}.`
}
