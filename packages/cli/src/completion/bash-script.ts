import type { CompletedCommand, CompletedOption, Wanted } from './completions.ts'

/** The completion script for bash 3.2 and newer. It needs no package. */
export function bashScript(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name).join(' ')
  return `# Completion of agentic for bash: source <(agentic completion bash)
_agentic_words() { COMPREPLY=($(compgen -W "$1" -- "$current")); }
_agentic_files() { COMPREPLY=($(compgen "$1" -- "$current")); compopt -o filenames 2>/dev/null; }
_agentic() {
  local IFS=$' \\t\\n' current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local command="\${COMP_WORDS[1]}"
  # Bash splits --option=value.
  if [[ $current == = ]]; then current=; elif [[ $previous == = ]]; then previous="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then _agentic_words "${names} help --help --version"; return; fi
  case "$command $previous" in
${commands.flatMap(valueCases).join('\n')}
  esac
  case "$command" in
    help) _agentic_words "${names}" ;;
${commands.map(commandCase).join('\n')}
  esac
}
complete -F _agentic agentic
`
}

function valueCases({ name, options }: CompletedCommand): string[] {
  return options.flatMap(({ long, short, value }) => {
    if (value === undefined) return []
    const flags = [`"${name} --${long}"`, ...(short === undefined ? [] : [`"${name} -${short}"`])]
    return [`    ${flags.join('|')}) ${offer(value.wanted)}return ;;`]
  })
}

function commandCase({ name, options, operands }: CompletedCommand): string {
  const flags = options.flatMap(flagsOf).join(' ')
  const wanted = operands.map((operand) => operand.wanted).find(({ type }) => type !== 'anything')
  const rest = wanted === undefined ? '' : ` else ${offer(wanted)}`
  return `    ${name}) if [[ $current == -* ]]; then _agentic_words "${flags}";${rest} fi ;;`
}

function flagsOf({ long, short }: CompletedOption): string[] {
  return [`--${long}`, ...(short === undefined ? [] : [`-${short}`])]
}

// Bash would split a file name at its blanks.
const offers = {
  files: "local IFS=$'\\n'; _agentic_files -f; ",
  folders: "local IFS=$'\\n'; _agentic_files -d; ",
  anything: '',
} as const

function offer(wanted: Wanted): string {
  return wanted.type === 'words' ? `_agentic_words "${wanted.words.join(' ')}"; ` : offers[wanted.type]
}
