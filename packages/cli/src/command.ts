import type { ExitCodeRow } from './exit-codes.ts'
import type { Host } from './host.ts'

/** One option of a command. */
export interface Option {
  /** `string` takes a value, `boolean` does not. */
  readonly type: 'string' | 'boolean'
  readonly short?: string
  /** How the help names the value. Completion offers files for `FILE` and folders for `FOLDER` and `DIR`. */
  readonly value?: string
  readonly description: string
  /** The values that are allowed; any when absent. */
  readonly choices?: readonly string[]
  /** Words that its value is or begins with, where more than these are allowed. */
  readonly words?: readonly string[]
  readonly default?: string
  readonly required?: boolean
  /** It may be given several times: its value is a list. */
  readonly multiple?: boolean
}

/** The options of a command by their long names. */
export type Options = Readonly<Record<string, Option>>

/** One argument without a dash; they come in this order. */
export interface Operand {
  readonly name: string
  readonly description: string
  /** The values that are allowed; any when absent. */
  readonly choices?: readonly string[]
  /** It may be left out; none that is required can follow it. */
  readonly optional?: boolean
  /** There may be more of it; only the last one can be repeated. */
  readonly repeated?: boolean
}

/** What was given for the options: a text, a list of them or, for a switch, whether it was there. */
export type Values<Given extends Options> = { readonly [Name in keyof Given]: ValueOf<Given[Name]> }

type ValueOf<Given extends Option> = Given['type'] extends 'boolean'
  ? boolean
  : Given extends { readonly multiple: true }
    ? readonly string[]
    : Given extends { readonly required: true } | { readonly default: string }
      ? string
      : string | undefined

/** The arguments of a command, judged. */
export interface Arguments<Given extends Options = Options> {
  readonly values: Values<Given>
  readonly operands: readonly string[]
}

/** One command: what the command line and its help know about it, and what it does. */
export interface Command<Given extends Options = Options> {
  readonly name: string
  /** What it does, in whole sentences. */
  readonly description: string
  readonly operands: readonly Operand[]
  readonly options: Given
  readonly examples: readonly string[]
  /** What its exit codes mean, where that is more than the overview says. */
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

/** Ties the options of a command to what its `run` gets. */
export function defineCommand<const Given extends Options>(command: Command<Given>): Command<Given> {
  return command
}
