import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { ensurePythonEnvironment } from '../python-environment.ts'
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

/** A test of the official Python client in both modes. Without Python it is skipped by name. */
export function testPython(
  title: string,
  body: (mode: string, run: (wish: PythonRun) => Promise<Json>) => Promise<void>,
): void {
  const python = ensurePythonEnvironment('mcp', join(import.meta.dirname, 'requirements.txt'))
  const reason = 'missing' in python ? ` (${python.missing})` : ''
  // The reporter lists skipped tests only beside failed ones.
  if (reason !== '') process.stderr.write(`skipped: ${title}${reason}\n`)
  test.skipIf(reason !== '').each(['auto', 'legacy'])(`${title}, mode %s${reason}`, async (mode) => {
    if ('missing' in python) return expect.fail(python.missing)
    await body(mode, (wish) => runPython(join(python.folder, 'bin/python'), wish))
  })
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
