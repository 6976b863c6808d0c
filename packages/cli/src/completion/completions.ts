import type { Command, CommandRow, Operand, Option } from '../command.ts'

/** The kind of a value: a word of a list, a file, a folder, or free text. */
export type Wanted =
  | { readonly type: 'words'; readonly words: readonly string[] }
  | { readonly type: 'files' | 'folders' | 'anything' }

/** One option, for completion. */
export interface CompletedOption {
  readonly long: string
  readonly short: string | undefined
  readonly description: string
  readonly multiple: boolean
  /** Absent for a switch. */
  readonly value: { readonly name: string; readonly wanted: Wanted } | undefined
}

/** One command, for completion. */
export interface CompletedCommand {
  readonly name: string
  readonly summary: string
  readonly options: readonly CompletedOption[]
  readonly operands: readonly { readonly name: string; readonly repeated: boolean; readonly wanted: Wanted }[]
}

/** Loads every command and describes it for completion. */
export async function completionsOf(rows: readonly CommandRow[]): Promise<CompletedCommand[]> {
  return await Promise.all(rows.map(async ({ summary, load }) => describe(summary, await load())))
}

function describe(summary: string, { name, options, operands }: Command): CompletedCommand {
  return {
    name,
    summary,
    options: [...Object.entries(options).map(describeOption), help],
    operands: operands.map((operand) => ({
      name: operand.name,
      repeated: operand.repeated === true,
      wanted: wantedFor(operand),
    })),
  }
}

const help: CompletedOption = {
  long: 'help',
  short: 'h',
  description: 'Shows this help.',
  multiple: false,
  value: undefined,
}

function describeOption([long, option]: [string, Option]): CompletedOption {
  const { short, description, multiple = false, type, value = 'VALUE', choices } = option
  const wanted = wantedFor({ name: value, choices })
  return {
    long,
    short,
    description,
    multiple,
    value: type === 'boolean' ? undefined : { name: value, wanted },
  }
}

function wantedFor({ name, choices }: { name: string; choices?: Operand['choices'] | undefined }): Wanted {
  if (choices !== undefined) return { type: 'words', words: choices }
  if (name === 'FILE') return { type: 'files' }
  return { type: name === 'FOLDER' || name === 'DIR' ? 'folders' : 'anything' }
}
