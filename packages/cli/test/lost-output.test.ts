import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { goldenFiles } from './golden/transcript.ts'
import { configuration } from './harness/configuration.ts'
import { agentic, folderWith } from './harness/run-agentic.ts'

const body = join(goldenFiles, 'conformance/conflict.json')

test.each([
  { name: 'check', args: ['check', 'gateway.yaml'] },
  { name: 'validate', args: ['validate', body] },
])('the result of $name that no disk has room for is told, and is no success', async ({ args }) => {
  const { code, stderr } = await runOnFullDisk(args)
  expect(code).toBe(1)
  expect(stderr).toMatch(/agentic: not all of the result could be written \(ENOSPC\)\n$/)
})

test('a file that is not valid stays the reason, whatever else goes wrong', async () => {
  const { code, stderr } = await runOnFullDisk(['validate', 'nowhere.json'])
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: 'agentic: not all of the result could be written (ENOSPC)\n',
  })
})

test('a reader that has seen enough is no fault', async () => {
  const child = spawn(process.execPath, [agentic, 'completion', 'bash'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.destroy()
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

async function runOnFullDisk(args: readonly string[]) {
  const full = openSync('/dev/full', 'w')
  const cwd = folderWith({ 'gateway.yaml': configuration() })
  const child = spawn(process.execPath, [agentic, ...args], { cwd, stdio: ['ignore', full, 'pipe'] })
  closeSync(full)
  if (child.stderr === null) throw new Error('stderr is a pipe')
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  return { code, stderr }
}
