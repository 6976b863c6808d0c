import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { agentic } from '../../packages/cli/test/harness/run-agentic.ts'
import { type DebianProgram, ensureProgram } from '../debian-package.ts'

/** Gives a program a terminal. */
export const script: DebianProgram = { program: 'script', package: 'bsdutils' }

/** What somebody at the terminal types once a text is there. */
export type Typing = readonly [when: string, typed: string]

/** How a run at a terminal ended, and everything that was on it. */
export interface OnTerminal {
  readonly code: number
  readonly screen: string
}

/** Runs `agentic` at a terminal, with somebody who types. */
export async function onTerminal(
  args: readonly string[],
  typings: readonly Typing[],
  env: Readonly<Record<string, string>> = {},
): Promise<OnTerminal> {
  const found = ensureProgram(script)
  if (!('path' in found)) throw new Error(found.missing)
  // A shell that stays would have an opinion of its own about Ctrl-C.
  const command = ['exec', process.execPath, agentic, ...args]
    .map((word, index) => (index === 0 ? word : quoted(word)))
    .join(' ')
  const child = spawn(found.path, ['-qec', command, '/dev/null'], {
    env: { PATH: process.env['PATH'], TERM: 'xterm', ...env },
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

  /** Types what is due; one piece of output may hold what several wait for. */
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
