import { parseArgs } from 'node:util'

/** The help text and flags of a command. */
export interface Usage<Flag extends string> {
  readonly command: string
  readonly does: string
  /** The purpose of each flag. */
  readonly flags: Readonly<Record<Flag, string>>
}

/** Reads the flags of this process. `--help` and unknown arguments print the usage and end the process. */
export function readFlags<Flag extends string>(usage: Usage<Flag>): Readonly<Record<Flag, boolean>> {
  const names = Object.keys(usage.flags) as Flag[]
  try {
    const { values } = parseArgs({ options: Object.fromEntries([...names, 'help'].map(asOption)) })
    if (values['help'] === true) end(0, textOf(usage))
    return Object.fromEntries(names.map((name) => [name, values[name] === true])) as Record<Flag, boolean>
  } catch (error) {
    return end(2, `${error instanceof Error ? error.message : String(error)}\n\n${textOf(usage)}`)
  }
}

const asOption = (name: string) => [name, { type: 'boolean' }] as const

function textOf({ command, does, flags }: Usage<string>): string {
  const rows = Object.entries({ ...flags, help: 'Prints this.' })
  const lines = rows.map(([name, description]) => `  --${name.padEnd(8)} ${description}\n`)
  return `${command}: ${does}\n\n${lines.join('')}`
}

function end(code: 0 | 2, text: string): never {
  const out = code === 0 ? process.stdout : process.stderr
  out.write(text)
  process.exit(code)
}
