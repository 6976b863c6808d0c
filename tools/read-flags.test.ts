import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const tools = import.meta.dirname

function run(tool: string, ...args: readonly string[]) {
  const program = ['--conditions=agentic-source', join(tools, tool), ...args]
  const { status, stdout, stderr } = spawnSync(process.execPath, program, { encoding: 'utf8' })
  return { status, stdout, stderr }
}

it.each(['check.ts', 'freeze.ts', 'generate.ts'])(
  '%s --help prints the usage and does nothing else',
  (tool) => {
    const { status, stdout, stderr } = run(tool, '--help')
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^npm run \w+: \S.*\.\n\n(?: {2}--first +\S.*\n)? {2}--help +Prints this\.\n$/)
  },
)

it.each(['check.ts', 'freeze.ts', 'generate.ts'])('%s refuses unknown arguments', (tool) => {
  const { status, stdout, stderr } = run(tool, '--fix')
  expect([status, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(/^Unknown option '--fix'/)
  expect(stderr).toContain('\n\nnpm run ')
  expect(run(tool, 'everything').status).toBe(2)
})
