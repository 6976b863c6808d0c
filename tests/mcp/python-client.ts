import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { testWith } from '@agentic-rest/testing/test-with'
import { expect } from 'vitest'
import type { Json } from './official-clients.ts'

/** The calls of one run of the official Python client. */
export interface PythonRun {
  readonly url: string
  readonly mode: string
  readonly calls: readonly {
    readonly wanted: string
    readonly name: string
    readonly arguments: object
    readonly token?: string
  }[]
  /** The token of the person who approves. */
  readonly approver?: string
}

/** A test of the official Python client in both modes. */
export function testPython(
  title: string,
  body: (mode: string, run: (wish: PythonRun) => Promise<Json>) => Promise<void>,
): void {
  for (const mode of ['auto', 'legacy'])
    testWith('mcp', `${title}, mode ${mode}`, (client) =>
      body(mode, (wish) => runPython(join(dirname(client), 'python'), wish)),
    )
}

async function runPython(program: string, wish: PythonRun): Promise<Json> {
  const child = spawn(program, [join(import.meta.dirname, 'python_client.py')], {
    env: { PATH: process.env['PATH'], PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.end(JSON.stringify(wish))
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  expect(code, errors).toBe(0)
  return JSON.parse(output)
}
