import type { ExitCodeRow, Host } from './host.ts'

/** One option of a command. */
export interface Option {
  /** `string` has a value, `boolean` has none. */
  readonly type: 'string' | 'boolean'
  readonly short?: string
  /** The name of the value in the help. Completion offers files for `FILE`, folders for `FOLDER` and `DIR`. */
  readonly value?: string
  readonly description: string
  /** The values that are allowed; any when absent. */
  readonly choices?: readonly string[]
  /** Words for the hint "did you mean". Other values are allowed too. */
  readonly words?: readonly string[]
  readonly default?: string
  readonly required?: boolean
  /** The option may be repeated; its value is a list. */
  readonly multiple?: boolean
}

/** The options of a command, by long name. */
export type Options = Readonly<Record<string, Option>>

/** One positional argument. */
export interface Operand {
  readonly name: string
  readonly description: string
  /** The values that are allowed; any when absent. */
  readonly choices?: readonly string[]
  /** Optional operands come last. */
  readonly optional?: boolean
  /** Only the last operand may be repeated. */
  readonly repeated?: boolean
}

/** The values of the options: a text, a list of texts or, for a switch, a boolean. */
export type Values<Given extends Options> = { readonly [Name in keyof Given]: ValueOf<Given[Name]> }

type ValueOf<Given extends Option> = Given['type'] extends 'boolean'
  ? boolean
  : Given extends { readonly multiple: true }
    ? readonly string[]
    : Given extends { readonly required: true } | { readonly default: string }
      ? string
      : string | undefined

/** The checked arguments of a command. */
export interface Arguments<Given extends Options = Options> {
  readonly values: Values<Given>
  readonly operands: readonly string[]
}

/** One command: its arguments, its help and its function. */
export interface Command<Given extends Options = Options> {
  readonly name: string
  /** The purpose, in whole sentences. */
  readonly description: string
  readonly operands: readonly Operand[]
  readonly options: Given
  readonly examples: readonly string[]
  /** The exit codes, if the overview does not describe them fully. */
  readonly exitCodes?: readonly ExitCodeRow[]
  /** Resolves with the exit code. */
  run(given: Arguments<Given>, host: Host): Promise<number>
}

/** A command in the overview. Its code is loaded when it is called. */
export interface CommandRow {
  readonly name: string
  readonly summary: string
  load(): Promise<Command>
}

/** Types the arguments of `run` by the options of the command. */
export function defineCommand<const Given extends Options>(command: Command<Given>): Command<Given> {
  return command
}
