import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { agentic } from './harness/run-agentic.ts'

// Needs Debian's `script`, which gives a program a terminal.
const script = '/usr/bin/script'
const hasTerminal = existsSync(script) && existsSync('/etc/debian_version')

function onTerminal(env: Record<string, string>): string {
  const command = `'${process.execPath}' '${agentic}' --help`
  const { stdout } = spawnSync(script, ['-qec', command, '/dev/null'], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], TERM: 'xterm', ...env },
  })
  return stdout
}

test.skipIf(!hasTerminal)(
  'headings are bold on a terminal, and plain where NO_COLOR is set (on Debian)',
  () => {
    expect(onTerminal({})).toContain('\u001b[1mUsage:\u001b[22m agentic COMMAND')
    const plain = onTerminal({ NO_COLOR: '1' })
    expect(plain).toContain('Usage: agentic COMMAND')
    expect(plain).not.toContain('\u001b')
  },
)
