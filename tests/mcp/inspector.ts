import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { Json } from './official-clients.ts'

/** The answer of a run of the command line: the result on stdout, and its exit code. */
export interface Inspected {
  readonly code: number
  readonly result: Json
  readonly errors: string
}

/** Runs the Inspector on a command line, with a home folder of its own. */
export async function inspect(program: string, home: string, args: readonly string[]): Promise<Inspected> {
  const child = spawn(process.execPath, [program, '--cli', ...args], {
    env: { PATH: process.env['PATH'], HOME: home, NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { code, result: output.trim() === '' ? undefined : JSON.parse(output), errors }
}
