import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { programPath } from '@agentic-rest/testing/programs'
import { onTestFinished } from 'vitest'
import { agentic } from '../../packages/cli/test/harness/run-agentic.ts'

/** Text to type after an output. */
export type Typing = readonly [when: string, typed: string]

/** The exit code and the whole screen of a run in a terminal. */
export interface OnTerminal {
  readonly code: number
  readonly screen: string
}

/** Runs `agentic` in a terminal with typed input. */
export function onTerminal(
  args: readonly string[],
  typings: readonly Typing[],
  env: Readonly<Record<string, string>> = {},
): Promise<OnTerminal> {
  // Without exec, the shell would handle Ctrl-C itself.
  const command = ['exec', process.execPath, agentic, ...args]
    .map((word, index) => (index === 0 ? word : quoted(word)))
    .join(' ')
  return runInTerminal(command, typings, { env: { PATH: process.env['PATH'], TERM: 'xterm', ...env } })
}

/** The folder and the environment of a command. */
export interface TerminalPlace {
  readonly cwd?: string
  readonly env: NodeJS.ProcessEnv
}

/** Runs a command line in a terminal with typed input. */
export async function runInTerminal(
  command: string,
  typings: readonly Typing[],
  { cwd, env }: TerminalPlace,
): Promise<OnTerminal> {
  const child = spawn(programPath('script'), ['-qec', command, '/dev/null'], {
    ...(cwd !== undefined && { cwd }),
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let screen = ''
  let from = 0
  const waiting = [...typings]
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    screen += chunk
    while (typeNext());
  })
  const [code] = await once(child, 'close')
  return { code, screen }

  /** Types all texts that are due; one output may match several. */
  function typeNext(): boolean {
    const [when = '', typed = ''] = waiting[0] ?? []
    const at = waiting.length === 0 ? -1 : screen.indexOf(when, from)
    if (at === -1) return false
    from = at + when.length
    waiting.shift()
    child.stdin.write(typed)
    return true
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
