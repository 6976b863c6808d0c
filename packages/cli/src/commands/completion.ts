import { type Command, type CommandRow, defineCommand } from '../command.ts'
import { bashScript } from '../completion/bash-script.ts'
import { completionsOf } from '../completion/completions.ts'
import { fishScript } from '../completion/fish-script.ts'
import { zshScript } from '../completion/zsh-script.ts'
import { exitCodes } from '../host.ts'

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const
const shells = ['bash', 'zsh', 'fish'] as const satisfies readonly (keyof typeof scripts)[]

/** `agentic completion SHELL`: a script that completes these commands, their options and their values in a shell. */
export function completion(commands: readonly CommandRow[]): Command {
  return defineCommand({
    name: 'completion',
    description:
      'Prints a script that completes commands, options and values of agentic in a shell. To load it at the start of a\n' +
      'shell: source <(agentic completion bash) in ~/.bashrc, source <(agentic completion zsh) after compinit in ~/.zshrc,\n' +
      'agentic completion fish | source in ~/.config/fish/config.fish.',
    operands: [{ name: 'SHELL', choices: shells, description: 'The shell.' }],
    options: {},
    examples: ['npx agentic completion bash', 'npx agentic completion zsh', 'npx agentic completion fish'],
    async run({ operands: [shell] }, host) {
      // The parser lets only known shells through.
      host.stdout.write(scripts[shell as keyof typeof scripts](await completionsOf(commands)))
      return exitCodes.ok
    },
  })
}
