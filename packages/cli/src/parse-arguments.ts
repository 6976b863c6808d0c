import { parseArgs } from 'node:util'
import { didYouMean } from '@agentic-rest/gateway/did-you-mean'
import type { Arguments, Command, Operand, Option, Options, Values } from './command.ts'

/** The checked arguments, or all their faults. */
type Parsed<Given extends Options> =
  | { readonly ok: true; readonly given: Arguments<Given> }
  | { readonly ok: false; readonly faults: readonly string[] }

interface OptionToken {
  readonly name: string
  readonly rawName: string
  readonly value: string | undefined
  readonly inlineValue: boolean | undefined
}

type Shape<Given extends Options> = Pick<Command<Given>, 'options' | 'operands'>

/** Checks the arguments after the name of a command. `util.parseArgs` splits them; its own errors suggest no fix. */
export function parseArguments<Given extends Options>(
  shape: Shape<Given>,
  args: readonly string[],
): Parsed<Given> {
  const { tokens, positionals } = parseArgs({
    args: [...args],
    options: plainOptions(shape.options),
    strict: false,
    tokens: true,
  })
  const given = tokens.filter((token) => token.kind === 'option')
  const faults = [
    ...given.flatMap((token) => optionFault(shape.options, token) ?? []),
    ...missingOptions(shape.options, given),
    ...operandFaults(shape, positionals),
  ]
  if (faults.length > 0) return { ok: false, faults }
  return { ok: true, given: { values: valuesOf(shape.options, given), operands: positionals } }
}

function plainOptions(options: Options) {
  const rows = Object.entries(options).map(([name, { type, short }]) => [
    name,
    short === undefined ? { type } : { type, short },
  ])
  return Object.fromEntries(rows) as Record<string, { type: Option['type']; short?: string }>
}

function optionFault(
  options: Options,
  { name, rawName, value, inlineValue }: OptionToken,
): string | undefined {
  const option = Object.hasOwn(options, name) ? options[name] : undefined
  if (option === undefined) return `unknown option ${rawName}${optionHint(rawName, options)}`
  if (option.type === 'boolean') return inlineValue ? `${rawName} takes no value` : undefined
  if (value === undefined || value === '' || (!inlineValue && /^-./.test(value)))
    return `${rawName} needs a value`
  return choiceFault(rawName, option.choices, value)
}

function choiceFault(
  name: string,
  choices: readonly string[] | undefined,
  value: string,
): string | undefined {
  if (choices === undefined || choices.includes(value)) return undefined
  return `${name} is one of ${choices.join(', ')}, not ${JSON.stringify(value)}${didYouMean(value, choices)}`
}

/** `--sarif` probably means `--format sarif`. */
function optionHint(rawName: string, options: Options): string {
  const word = rawName.replace(/^-+/, '')
  const [name] =
    Object.entries(options).find(([, { choices, words }]) => (choices ?? words)?.includes(word)) ?? []
  if (name === undefined) return didYouMean(rawName, longNames(options))
  return `, did you mean "--${name} ${word}"?`
}

function longNames(options: Options): string[] {
  return ['--help', ...Object.keys(options).map((name) => `--${name}`)]
}

function missingOptions(options: Options, given: readonly OptionToken[]): string[] {
  return Object.entries(options).flatMap(([name, { required, value, multiple }]) => {
    const times = given.filter((token) => token.name === name).length
    if (times > 1 && !multiple) return [`--${name} is given more than once`]
    return required && times === 0 ? [`--${name} ${value ?? 'VALUE'} is missing`] : []
  })
}

function operandFaults({ operands, options }: Shape<Options>, given: readonly string[]): string[] {
  const missing = operands
    .slice(given.length)
    .flatMap(({ name, optional }) => (optional ? [] : [`${name} is missing`]))
  const judged = given.flatMap((text, index) => {
    const operand = operandAt(operands, index)
    if (operand !== undefined) return choiceFault(operand.name, operand.choices, text) ?? []
    return [`unexpected argument ${JSON.stringify(text)}${didYouMean(text, longNames(options))}`]
  })
  return [...missing, ...judged]
}

function operandAt(operands: readonly Operand[], index: number): Operand | undefined {
  const last = operands.at(-1)
  return operands[index] ?? (last?.repeated ? last : undefined)
}

function valuesOf<Given extends Options>(options: Given, given: readonly OptionToken[]): Values<Given> {
  const rows = Object.entries(options).map(([name, option]) => {
    const tokens = given.filter((token) => token.name === name)
    return [name, givenValue(option, tokens)]
  })
  return Object.fromEntries(rows)
}

function givenValue(option: Option, tokens: readonly OptionToken[]): unknown {
  if (option.type === 'boolean') return tokens.length > 0
  if (option.multiple) return tokens.map(({ value }) => value)
  return tokens[0]?.value ?? option.default
}
