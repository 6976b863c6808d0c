import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { readArguments } from '../../chaos/arguments.ts'
import { isReached } from '../../chaos/chaos-run.ts'
import { descendantsOf } from '../../chaos/end-descendants.ts'
import { judged, reportOf } from '../../chaos/report.ts'
import { runs } from '../../chaos/runs.ts'
import { until } from '../../chaos/until.ts'

const main = join(import.meta.dirname, '../../chaos/main.ts')
const flags = ['--conditions=agentic-source', '--disable-warning=ExperimentalWarning', main]

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function command(env: NodeJS.ProcessEnv, ...args: string[]): Promise<Ended> {
  return promisify(execFile)(process.execPath, [...flags, ...args], { env: { ...process.env, ...env } }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )
}

const START_MS = 120_000

test('each run has a name and a line in the help, and its two forms scale the same things', async () => {
  const [{ code, stdout }, short] = await Promise.all([command({}, '--help'), command({}, '-h')])
  expect(code).toBe(0)
  expect(short.stdout).toBe(stdout)
  for (const { name, title, short, full } of runs) {
    expect(stdout).toContain(`  ${name.padEnd(16)} ${title}`)
    expect(Object.keys(short)).toEqual(Object.keys(full))
  }
  expect(new Set(runs.map(({ name }) => name)).size).toBe(runs.length)
})

test('an unknown name ends with 2 and the nearest name', async () => {
  const { code, stderr } = await command({}, 'fuz')
  expect([code, stderr.split('?')[0]]).toEqual([2, 'unknown run "fuz", did you mean "fuzz"'])
})

test('an option that the run does not have ends with 2', async () => {
  expect(readArguments(['fuzz', '--tenants', '3'])).toContain("'--tenants'")
  expect(await command({}, 'fuzz', '--requests', 'many')).toEqual({
    code: 2,
    stdout: '',
    stderr: '--requests must be a number, 0 or more, not "many"\n',
  })
})

test('a negative or missing number ends with 2 and the name of its option', () => {
  const message = (text: string) => `--requests must be a number, 0 or more, not "${text}"`
  expect(readArguments(['fuzz', '--requests=-5'])).toBe(message('-5'))
  expect(readArguments(['fuzz', '--requests='])).toBe(message(''))
  expect(readArguments(['fuzz', '--seed', ' '])).toBe('--seed must be a number, 0 or more, not " "')
  expect(readArguments(['fuzz', '--requests', '-5'])).toContain('--requests')
})

test('options may stand before the name', () => {
  expect(readArguments(['--short', '--seed', '7', 'soak', '--minutes', '0.5'])).toMatchObject({
    runs: [{ run: { name: 'soak' }, scale: { minutes: 0.5 } }],
    seed: 7,
  })
  expect(readArguments(['--short'])).toMatch(/^the name of a run is missing\. There are: faults, /)
})

test('of several runs each gets the numbers that it has', () => {
  const asked = readArguments(['fuzz', 'soak', '--short', '--requests', '20', '--minutes', '0.5'])
  const [fuzz, soak] = typeof asked === 'string' ? [] : asked.runs
  expect([fuzz?.run.name, fuzz?.scale['requests'], fuzz?.scale['minutes']]).toEqual(['fuzz', 20, undefined])
  expect([soak?.run.name, soak?.scale['minutes'], soak?.scale['requests']]).toEqual(['soak', 0.5, undefined])
  expect(readArguments(['fuzz', 'fuzz'])).toMatchObject({ runs: { length: 1 } })
  expect(readArguments(['fuzz', '--foo'])).toBe("Unknown option '--foo'")
  expect(readArguments(['--requests', 'fuzz'])).toBe('--requests must be a number, 0 or more, not "fuzz"')
  expect(readArguments(['fuzz', 'soka'])).toMatch(/^unknown run "soka", did you mean "soak"\? There are: /)
  expect(readArguments(['fuzz', 'sigterm', '--tenants', '3'])).toBe(
    "'--tenants' is no option of fuzz, sigterm",
  )
})

test('several runs follow one another, and one that fails does not stop the others', async () => {
  const output = mkdtempSync(join(tmpdir(), 'agentic-chaos-several-'))
  onTestFinished(() => rmSync(output, { recursive: true, force: true }))
  const args = ['shared-limit', 'fuzz', '--short', '--requests', '20', '--output', output]
  // Without a PATH the first has no Redis.
  const { code, stdout, stderr } = await command({ PATH: '' }, ...args)
  expect(code, stderr).toBe(1)
  expect(stderr).toContain('redis-server is missing')
  expect(readdirSync(output)).toEqual([expect.stringMatching(/^fuzz-.*\.json$/)])
  expect(stdout).toContain('fuzz')
})

test('a run that lacks a program ends with 1 and says how to get it', async () => {
  const { code, stdout, stderr } = await command({ PATH: '' }, 'shared-limit', '--short')
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/\nredis-server is missing; npm run test:setup installs it\n$/)
})

test('a stopped run reports nothing, ends with 130 and leaves neither processes nor files', async () => {
  await Promise.all((['SIGINT', 'SIGHUP'] as const).map(expectStopped))
})

/** Whether the gateway of the run has started: before that, any signal would kill it. */
async function isServed(folder: string): Promise<boolean> {
  const [file] = globSync('*/gateway.yaml', { cwd: folder })
  if (file === undefined) return false
  const [, port] = /"port":(\d+)/.exec(readFileSync(join(folder, file), 'utf8')) ?? []
  return await fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )
}

async function expectStopped(signal: NodeJS.Signals): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'agentic-chaos-stopped-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const output = join(folder, 'results')
  // Its own process group, as in a terminal: the gateway gets the signal too.
  const child = spawn(
    process.execPath,
    [...flags, 'keep-alive-race', '--requests', '1e6', '--output', output],
    { detached: true, env: { ...process.env, TMPDIR: folder } },
  )
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)]
  const ended = once(child, 'exit')
  onTestFinished(() => void child.kill('SIGKILL'))
  const pid = child.pid ?? 0
  expect(await until(() => isServed(folder), Boolean, START_MS)).toBe(true)
  const [gateway = 0] = descendantsOf(pid)
  expect(gateway).toBeGreaterThan(0)
  process.kill(-pid, signal)
  expect((await ended)[0]).toBe(130)
  expect(await stdout).toBe('')
  expect(await stderr).toMatch(/\nkeep-alive-race: stopped early, no report\n$/)
  expect(readdirSync(folder)).toEqual([])
  expect(existsSync(`/proc/${gateway}`)).toBe(false)
}

test('a run prints its table and keeps it as JSON', async () => {
  const output = mkdtempSync(join(tmpdir(), 'agentic-chaos-command-'))
  onTestFinished(() => rmSync(output, { recursive: true, force: true }))
  const { code, stdout } = await command(
    {},
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
