import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { isReached } from '../../chaos/chaos-run.ts'
import { judged, reportOf } from '../../chaos/report.ts'
import { runs } from '../../chaos/runs.ts'

const main = join(import.meta.dirname, '../../chaos/main.ts')
const flags = ['--conditions=agentic-source', '--disable-warning=ExperimentalWarning', main]

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function command(...args: string[]): Promise<Ended> {
  return promisify(execFile)(process.execPath, [...flags, ...args]).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )
}

test('each run has a name and a line in the help, and its two forms scale the same things', async () => {
  const { code, stdout } = await command('--help')
  expect(code).toBe(0)
  for (const { name, title, short, full } of runs) {
    expect(stdout).toContain(`  ${name.padEnd(16)} ${title}`)
    expect(Object.keys(short)).toEqual(Object.keys(full))
  }
  expect(new Set(runs.map(({ name }) => name)).size).toBe(runs.length)
})

test('a name that is not there ends with 2 and the nearest one', async () => {
  const { code, stderr } = await command('fuz')
  expect([code, stderr.split('?')[0]]).toEqual([2, 'unknown run "fuz", did you mean "fuzz"'])
})

test('an option that the run does not have ends with 2', async () => {
  expect((await command('fuzz', '--tenants', '3')).code).toBe(2)
  expect(await command('fuzz', '--requests', 'many')).toEqual({
    code: 2,
    stdout: '',
    stderr: '--requests must be a number\n',
  })
})

test('a run prints its table and keeps it as JSON', async () => {
  const output = mkdtempSync(join(tmpdir(), 'agentic-chaos-command-'))
  onTestFinished(() => rmSync(output, { recursive: true, force: true }))
  const { code, stdout } = await command(
    'fuzz',
    '--short',
    '--requests',
    '20',
    '--seed',
    '7',
    '--output',
    output,
  )
  expect(code, stdout).toBe(0)
  const [file = ''] = readdirSync(output)
  const result = JSON.parse(readFileSync(join(output, file), 'utf8'))
  expect(result).toMatchObject({ name: 'fuzz', seed: 7, scale: { requests: 20 } })
  expect(result.command).toContain('npm run chaos -- fuzz --short --requests 20 --seed 7')
  expect(stdout).toBe(reportOf(result))
})

test('a figure is reached at its limit and not beyond it, and never when it is no number', () => {
  const figure = { name: 'f', limit: 3 }
  const kinds = ['at most', 'at least', 'exactly'] as const
  const table = kinds.map((kind) =>
    [2, 3, 4, Number.NaN].map((measured) => isReached({ ...figure, kind, measured })),
  )
  expect(table).toEqual([
    [true, true, false, false],
    [false, true, true, false],
    [false, true, false, false],
  ])
  const [one] = judged([{ ...figure, kind: 'at most', measured: 4 }])
  expect(one?.reached).toBe(false)
})
