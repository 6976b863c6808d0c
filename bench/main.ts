import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, release, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { endDescendants } from '../chaos/end-descendants.ts'
import { type Asked, partNames, readArguments } from './arguments.ts'
import type { BenchContext } from './bench-context.ts'
import { measureGrowth } from './measures/growth.ts'
import { measureLatency } from './measures/latency.ts'
import { checkoutProgram, installProgram, measureStartUp } from './measures/start-up.ts'
import { measureStreams } from './measures/streams.ts'
import { measureThroughput } from './measures/throughput.ts'
import { measureWorkers } from './measures/workers.ts'
import { pinSelf } from './pinned-process.ts'
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
  --only NAME      One part: ${partNames.join(', ')}. May be repeated.
  --rounds N       How often each contender is measured; 5 unless given.
  --seconds N      How long each round is; 4 unless given.
  --seed N         Seed of the pauses between requests.
  --beside FOLDER  Also measures the gateway of another checkout, installed there, for before and after in one run.
  --output FOLDER  Where results are written; bench/results unless given.

Ends with 0 when it has measured, with 1 when it could not, with 2 when it is called wrongly, and with 130 and
without a result when it is stopped (SIGINT, SIGTERM, SIGHUP).
`

const root = join(import.meta.dirname, '..')

const asked = readArguments(process.argv.slice(2))
if (typeof asked === 'string') {
  process.stderr.write(`${asked}\n`)
  process.exitCode = 2
} else if (asked.help) process.stdout.write(HELP)
else process.exitCode = await main(asked)

async function main(asked: Asked): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'agentic-bench-'))
  const machine = describeMachine()
  putAwayWhenStopped(folder)
  try {
    const programs = findPrograms()
    pinSelf()
    const upstream = await startUpstream(programs.nginx, folder)
    const context: BenchContext = {
      programs,
      folder,
      upstreamPort: upstream.port,
      issuer: createIssuer(folder),
      rounds: asked.rounds,
      secondsPerRound: asked.seconds,
      seed: asked.seed,
      beside: asked.beside,
      tell: (line) => void process.stderr.write(`${line}\n`),
    }
    try {
      publish(await measureAll(context, machine, asked), asked.output)
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

/** Contenders are started for themselves: whoever stops the bench would leave them, and what they work on, behind. */
function putAwayWhenStopped(folder: string): void {
  const putAway = () => {
    endDescendants()
    rmSync(folder, { recursive: true, force: true })
    process.exit(130)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, putAway)
}

async function measureAll(
  context: BenchContext,
  machine: Machine,
  { wants, quick, isPartial }: Asked,
): Promise<Results> {
  const throughput = []
  for (const scenario of scenarios)
    if (wants(scenario.name)) throughput.push(await measureThroughput(context, scenario))
  const allPlugins = scenarios.find(({ name }) => name === 'all-plugins')
  const counts = quick
    ? { flushed: 200, idle: 500, stalled: 100 }
    : { flushed: 500, idle: 5000, stalled: 1000 }
  const inQuickRun = (name: string) => wants(name) && (!quick || isPartial)
  return {
    version: readVersion(),
    commit: readCommit(),
    date: new Date().toISOString(),
    seed: context.seed,
    quick,
    machine,
    throughput,
    ...(allPlugins !== undefined && wants('latency')
      ? { latency: await measureLatency(context, allPlugins) }
      : {}),
    ...(wants('streams') ? { streams: await measureStreams(context, counts) } : {}),
    ...(wants('start-up')
      ? { startUp: await measureStartUp(context, quick ? checkoutProgram : installProgram(context)) }
      : {}),
    ...(inQuickRun('growth') ? { growth: await measureGrowth(context) } : {}),
    ...(allPlugins !== undefined && inQuickRun('workers')
      ? { workers: await measureWorkers(context, allPlugins) }
      : {}),
  }
}

function publish(results: Results, output: string): void {
  const report = reportOf(results)
  mkdirSync(output, { recursive: true })
  const name = `${results.date.slice(0, 19).replaceAll(':', '-')}${results.quick ? '-quick' : ''}`
  writeFileSync(join(output, `${name}.json`), `${JSON.stringify(results, null, 2)}\n`)
  writeFileSync(join(output, `${name}.md`), report)
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
