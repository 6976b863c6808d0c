import type { CompletedCommand, CompletedOption, Wanted } from './completions.ts'

/** The completion script for zsh: sourced, or as the file _agentic in a folder of fpath. */
export function zshScript(commands: readonly CompletedCommand[]): string {
  return `#compdef agentic
# Completion of agentic for zsh: source <(agentic completion zsh)
_agentic() {
  local -a commands=(
${commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary.replaceAll(':', '\\:')}`)}`).join('\n')}
    'help:Shows the help of a command.'
  )
  if (( CURRENT == 2 )); then
    _describe -t commands command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
    help) _describe -t commands command commands ;;
${commands.map(commandCase).join('\n')}
  esac
}
if [[ $funcstack[1] == _agentic ]]; then _agentic "$@"; else compdef _agentic agentic; fi
`
}

function commandCase({ name, options, operands }: CompletedCommand): string {
  const places = operands.map(
    (operand, index) => `${operand.repeated ? '*' : index + 1}:${operand.name}:${actionFor(operand.wanted)}`,
  )
  const specs = [...options.flatMap(optionSpecs), ...places].map(quoted)
  return `    ${name}) _arguments -S ${specs.join(' ')} ;;`
}

function optionSpecs({ long, short, description, multiple, value }: CompletedOption): string[] {
  const flags = [`--${long}`, ...(short === undefined ? [] : [`-${short}`])]
  const once = multiple ? '*' : `(${flags.join(' ')})`
  const [first = ''] = description.split('\n')
  const text = first.replaceAll(/[[\]:\\]/g, '\\$&')
  const rest = value === undefined ? '' : `:${value.name.replaceAll(':', '\\:')}:${actionFor(value.wanted)}`
  // The long form also takes its value after an equals sign.
  return flags.map((flag) => `${once}${flag}${value && flag.startsWith('--') ? '=' : ''}[${text}]${rest}`)
}

function actionFor(wanted: Wanted): string {
  switch (wanted.type) {
    case 'words':
      return `(${wanted.words.join(' ')})`
    case 'files':
      return '_files'
    case 'folders':
      return '_files -/'
    case 'anything':
      return ' '
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
