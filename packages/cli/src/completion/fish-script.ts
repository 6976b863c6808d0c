import type { CompletedCommand, CompletedOption, Wanted } from './completions.ts'

/** The completion script for fish. */
export function fishScript(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name).join(' ')
  return [
    '# Completion of agentic for fish: agentic completion fish | source',
    'complete -c agentic -f',
    ...commands.map(({ name, summary }) => line('__fish_use_subcommand', `-a ${name} -d ${quoted(summary)}`)),
    line('__fish_use_subcommand', `-a help -d ${quoted('Shows the help of a command.')}`),
    line('__fish_use_subcommand', `-s h -l help -d ${quoted('Shows the help.')}`),
    line('__fish_use_subcommand', `-s v -l version -d ${quoted('Prints the version.')}`),
    line('__fish_seen_subcommand_from help', `-a ${quoted(names)}`),
    ...commands.flatMap(commandLines),
    '',
  ].join('\n')
}

function commandLines({ name, options, operands }: CompletedCommand): string[] {
  const seen = `__fish_seen_subcommand_from ${name}`
  return [
    ...options.map((option) => line(seen, optionArguments(option))),
    ...operands.flatMap(({ wanted }) => (wanted.type === 'anything' ? [] : [line(seen, offer(wanted))])),
  ]
}

function optionArguments({ long, short, description, value }: CompletedOption): string {
  const [first = ''] = description.split('\n')
  return [
    ...(short === undefined ? [] : [`-s ${short}`]),
    `-l ${long}`,
    ...(value === undefined ? [] : [value.wanted.type === 'files' ? '-r' : '-x', offer(value.wanted)]),
    `-d ${quoted(first)}`,
  ]
    .filter((part) => part !== '')
    .join(' ')
}

function offer(wanted: Wanted): string {
  switch (wanted.type) {
    case 'words':
      return `-a ${quoted(wanted.words.join(' '))}`
    case 'files':
      return '-F'
    case 'folders':
      return "-a '(__fish_complete_directories)'"
    case 'anything':
      return ''
  }
}

function line(condition: string, rest: string): string {
  return `complete -c agentic -n ${quoted(condition)} ${rest}`
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
