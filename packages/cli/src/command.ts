import type { Host } from './host.ts'

/** One option of a command. */
export interface Option {
  /** `string` takes a value, `boolean` does not. */
  readonly type: 'string' | 'boolean'
  readonly short?: string
  /** How the help names the value. */
  readonly value?: string
  readonly description: string
  /** The values that are allowed; any when absent. */
  readonly choices?: readonly string[]
  readonly default?: string
  readonly required?: boolean
}

/** The options of a command by their long names. */
export type Options = Readonly<Record<string, Option>>

/** One argument without a dash; all of them are required and come in this order. */
export interface Operand {
  readonly name: string
  readonly description: string
}

/** What was given for the options: a text or, for a switch, whether it was there. */
export type Values<Given extends Options> = {
  readonly [Name in keyof Given]: Given[Name]['type'] extends 'boolean'
    ? boolean
    : Given[Name] extends { readonly required: true } | { readonly default: string }
      ? string
      : string | undefined
}

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
  /** Resolves with the exit code. */
  run(given: Arguments<Given>, host: Host): Promise<number>
}

/** Ties the options of a command to what its `run` gets. */
export function defineCommand<const Given extends Options>(command: Command<Given>): Command<Given> {
  return command
}
