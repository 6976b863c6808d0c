import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commands } from '../src/commands.ts'
import { runAgentic } from './harness/run-agentic.ts'
import { runHere } from './harness/run-here.ts'

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'))

const overview = readFileSync(join(import.meta.dirname, 'golden/overview.txt'), 'utf8')
  .split('\n')
  .slice(2, -2)
  .join('\n')

test.each([['-h'], ['help']])('agentic %s shows the overview, as --help does', async (...args) => {
  expect(await runHere(args)).toEqual({ code: 0, stdout: `${overview}\n`, stderr: '' })
})

test.each([
  { args: ['start', '-h'] },
  { args: ['start', '-c', 'missing.yaml', '--wrong', '--help'] },
  { args: ['help', 'start'] },
])('agentic $args shows the help of the command, whatever else is there', async ({ args }) => {
  expect(await runHere(args)).toEqual(await runHere(['start', '--help']))
})

test('the program itself explains itself and refuses what it does not know', async () => {
  expect(await runAgentic(['--help'])).toEqual({
    code: 0,
    signal: null,
    stdout: `${overview}\n`,
    stderr: '',
  })
  expect(await runAgentic(['chek'])).toEqual({
    code: 2,
    signal: null,
    stdout: '',
    stderr:
      'agentic: unknown command "chek", did you mean "check"?\nRun "npx agentic --help" for how to use it.\n',
  })
})

test.each(['--version', '-v'])('agentic %s prints version, profile and Node', async (flag) => {
  const stdout = `agentic ${version} (profile v0.3, Node ${process.version})\n`
  expect(await runAgentic([flag])).toEqual({ code: 0, signal: null, stdout, stderr: '' })
})

test('every file of a command has its row, and its row the name of the command', async () => {
  const files = readdirSync(join(import.meta.dirname, '../src/commands')).filter(
    (name) => !name.includes('.test.'),
  )
  expect(commands.map(({ name }) => `${name}.ts`).toSorted()).toEqual(files.toSorted())
  for (const row of commands) {
    const command = await row.load()
    expect(command.name).toBe(row.name)
    expect(command.examples[0]).toMatch(new RegExp(`^npx agentic ${row.name}\\b`))
  }
})
