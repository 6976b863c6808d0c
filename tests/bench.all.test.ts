import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { testWith } from '@agentic-rest/testing/test-with'
import { expect, onTestFinished, test } from 'vitest'
import { machineTime, stolenPercent } from '../bench/cpu-time.ts'
import { percentile, ratios, spreadOf } from '../bench/statistics.ts'
import { descendantsOf } from '../chaos/end-descendants.ts'
import { isAlive } from './workers/start-workers.ts'

const run = promisify(execFile)
const bench = join(import.meta.dirname, '../bench/main.ts')
const flags = ['--conditions=agentic-source', '--disable-warning=ExperimentalWarning', bench]

function outputFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agentic-bench-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

testWith(
  'wrk',
  'a short run measures every contender and another checkout, prints the table and keeps it as JSON',
  async () => {
    const output = outputFolder()
    const parts = ['all-plugins'].flatMap((name) => ['--only', name])
    const options = [
      '--quick',
      '--rounds',
      '1',
      '--seconds',
      '1',
      '--seed',
      '7',
      '--output',
      output,
      '--beside',
      '.',
      ...parts,
    ]
    const { stdout } = await run(process.execPath, [...flags, ...options])
    for (const name of ['nginx', 'floor', 'fastify', 'beside', 'gateway'])
      expect(stdout).toMatch(new RegExp(`^\\| ${name} \\| [\\d,]+ \\| [\\d.,]+ \\|`, 'm'))
    expect(stdout).toMatch(/^\| CPU per request, all plugins, to the floor \| [\d.]+ × \| 0\.8 × \|/m)
    const files = readdirSync(output)
    expect(files.map((name) => name.replace(/^[\dT-]+/, ''))).toEqual(['quick.json', 'quick.md'])
    const results = JSON.parse(readFileSync(join(output, files[0] ?? ''), 'utf8'))
    expect(results).toMatchObject({ seed: 7, quick: true, machine: { node: process.version } })
    expect(results.throughput.map(({ scenario }: { scenario: string }) => scenario)).toEqual(['all-plugins'])
  },
)

testWith('wrk', 'a stopped run ends with 130 and leaves neither processes nor files', async () => {
  const folder = outputFolder()
  const child = spawn(process.execPath, [...flags, '--quick', '--only', 'passthrough', '--output', folder], {
    env: { ...process.env, TMPDIR: folder },
    stdio: 'ignore',
  })
  const exited = once(child, 'exit')
  // Its first process is the service behind all contenders.
  await expect.poll(() => descendantsOf(child.pid ?? 0)).not.toEqual([])
  const started = descendantsOf(child.pid ?? 0)
  expect(readdirSync(folder)).not.toEqual([])
  child.kill('SIGTERM')
  expect((await exited)[0]).toBe(130)
  await expect.poll(() => started.filter(isAlive)).toEqual([])
  expect(readdirSync(folder)).toEqual([])
})

test('an unknown part is named, with those that exist', async () => {
  const failed = await run(process.execPath, [...flags, '--only', 'passthru']).catch((error) => error)
  expect([failed.code, failed.stderr]).toEqual([
    2,
    'unknown: passthru. There are: passthrough, all-plugins, vendor-answer, large-bodies, cold-tokens, latency, streams, sdk-streams, start-up, growth, workers\n',
  ])
})

test.each([
  [['--rounds', '0'], '--rounds must be a number above 0, not "0"\n'],
  [['--seconds', 'soon'], '--seconds must be a number above 0, not "soon"\n'],
  [['--seed', 'x'], '--seed must be a number\n'],
  [['quickly'], expect.stringContaining("Unexpected argument 'quickly'")],
])('%j is refused before anything is measured', async (options, stderr) => {
  const failed = await run(process.execPath, [...flags, ...options]).catch((error) => error)
  expect([failed.code, failed.stderr]).toEqual([2, stderr])
})

test('ratios are taken round by round, and the median of an even number lies between two', () => {
  expect(ratios([2, 9], [1, 3])).toEqual({ median: 2.5, low: 2, high: 3 })
  expect(spreadOf([3, 1, 2])).toEqual({ median: 2, low: 1, high: 3 })
  expect(percentile([10, 20, 30, 40, 50], 75)).toBe(40)
})

test('the time that the host took is a part of the time that was asked for', () => {
  const before = machineTime('cpu  100 10 50 9000 40 1 9 30 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n')
  expect(before).toEqual({ used: 170, stolen: 30 })
  expect(stolenPercent(before, { used: 470, stolen: 130 })).toBe(25)
  expect(stolenPercent(before, before)).toBe(0)
  expect(machineTime().used).toBeGreaterThan(0)
})
