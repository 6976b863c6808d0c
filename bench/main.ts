import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, release, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { BenchContext } from './bench-context.ts'
import { measureGrowth } from './measures/growth.ts'
import { measureLatency } from './measures/latency.ts'
import { checkoutProgram, installProgram, measureStartUp } from './measures/start-up.ts'
import { measureStreams } from './measures/streams.ts'
import { measureThroughput } from './measures/throughput.ts'
import { measureWorkers } from './measures/workers.ts'
import { findPrograms } from './programs.ts'
import { readCommit } from './read-commit.ts'
import { reportOf } from './report.ts'
import type { Machine, Results } from './results.ts'
import { scenarios } from './scenarios.ts'
import { createIssuer } from './tokens.ts'
import { startUpstream } from './upstream.ts'

const HELP = `npm run bench -- [options]

Measures the gateway beside nginx, @fastify/http-proxy and a bare proxy on the same stack (the floor), one core each.

  --quick          Fewer rounds and streams, and the start of the checkout in place of packed packages: two minutes,
                   and noisier figures.
  --only NAME      One part: ${scenarios.map(({ name }) => name).join(', ')}, latency, streams, start-up, growth, workers. May be repeated.
  --rounds N       How often each contender is measured; 5 unless given.
  --seconds N      How long each round is; 4 unless given.
  --seed N         Seed of the pauses between requests.
  --output FOLDER  Where results are written; bench/results unless given.
`

const others = ['latency', 'streams', 'start-up', 'growth', 'workers']
const root = join(import.meta.dirname, '..')

const { values } = parseArgs({
  options: {
    help: { type: 'boolean' },
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    seed: { type: 'string' },
    output: { type: 'string', default: join(import.meta.dirname, 'results') },
  },
})

if (values.help) process.stdout.write(HELP)
else process.exitCode = await main()

async function main(): Promise<number> {
  const unknown = (values.only ?? []).filter((name) => !partNames().includes(name))
  if (unknown.length > 0) {
    process.stderr.write(`unknown: ${unknown.join(', ')}. There are: ${partNames().join(', ')}\n`)
    return 2
  }
  const folder = mkdtempSync(join(tmpdir(), 'agentic-bench-'))
  const machine = describeMachine()
  try {
    const programs = findPrograms()
    const upstream = await startUpstream(programs.nginx, folder)
    const context: BenchContext = {
      programs,
      folder,
      upstreamPort: upstream.port,
      issuer: createIssuer(folder),
      rounds: Number(values.rounds ?? (values.quick ? 3 : 5)),
      secondsPerRound: Number(values.seconds ?? (values.quick ? 1 : 4)),
      seed: Number(values.seed ?? Date.now() % 1_000_000),
      tell: (line) => void process.stderr.write(`${line}\n`),
    }
    try {
      publish(await measureAll(context, machine))
    } finally {
      await upstream.stop()
    }
    return 0
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function partNames(): string[] {
  return [...scenarios.map(({ name }) => name), ...others]
}

function wants(name: string): boolean {
  return values.only === undefined || values.only.includes(name)
}

async function measureAll(context: BenchContext, machine: Machine): Promise<Results> {
  const throughput = []
  for (const scenario of scenarios)
    if (wants(scenario.name)) throughput.push(await measureThroughput(context, scenario))
  const allPlugins = scenarios.find(({ name }) => name === 'all-plugins')
  const counts = values.quick
    ? { flushed: 200, idle: 500, stalled: 100 }
    : { flushed: 500, idle: 5000, stalled: 1000 }
  const inQuickRun = (name: string) => wants(name) && (!values.quick || values.only !== undefined)
  return {
    version: readVersion(),
    commit: readCommit(),
    date: new Date().toISOString(),
    seed: context.seed,
    quick: values.quick,
    machine,
    throughput,
    ...(allPlugins !== undefined && wants('latency')
      ? { latency: await measureLatency(context, allPlugins) }
      : {}),
    ...(wants('streams') ? { streams: await measureStreams(context, counts) } : {}),
    ...(wants('start-up')
      ? { startUp: await measureStartUp(context, values.quick ? checkoutProgram : installProgram(context)) }
      : {}),
    ...(inQuickRun('growth') ? { growth: await measureGrowth(context) } : {}),
    ...(allPlugins !== undefined && inQuickRun('workers')
      ? { workers: await measureWorkers(context, allPlugins) }
      : {}),
  }
}

function publish(results: Results): void {
  const report = reportOf(results)
  mkdirSync(values.output, { recursive: true })
  const name = `${results.date.slice(0, 19).replaceAll(':', '-')}${results.quick ? '-quick' : ''}`
  writeFileSync(join(values.output, `${name}.json`), `${JSON.stringify(results, null, 2)}\n`)
  writeFileSync(join(values.output, `${name}.md`), report)
  process.stdout.write(report)
}

function readVersion(): string {
  const { version } = JSON.parse(readFileSync(join(root, 'packages/gateway/package.json'), 'utf8')) as {
    version: string
  }
  return version
}

function describeMachine(): Machine {
  const [cpu] = cpus()
  return {
    cpu: cpu?.model ?? 'unknown',
    cores: cpus().length,
    memoryGigabytes: Math.round(totalmem() / 1024 ** 3),
    kernel: release(),
    node: process.version,
    loadBefore: loadavg()[0] ?? 0,
  }
}
