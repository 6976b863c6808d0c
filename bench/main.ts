import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, release, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { endDescendants } from '../chaos/end-descendants.ts'
import { type Asked, partNames, readArguments } from './arguments.ts'
import { type BenchContext, findPrograms } from './bench-context.ts'
import { machineTime, stolenPercent } from './cpu-time.ts'
import { measureColdTokens } from './measures/cold-tokens.ts'
import { measureGrowth } from './measures/growth.ts'
import { measureLatency } from './measures/latency.ts'
import { measurePeers } from './measures/peers.ts'
import { measureSdkStreams } from './measures/sdk-streams.ts'
import { checkoutProgram, installProgram, measureStartUp } from './measures/start-up.ts'
import { measureStreams } from './measures/streams.ts'
import { measureThroughput } from './measures/throughput.ts'
import { measureWorkers } from './measures/workers.ts'
import { pinSelf } from './pinned-process.ts'
import { reportOf } from './report.ts'
import { type Machine, type Results, readCommit } from './results.ts'
import { scenarios } from './scenarios.ts'
import { createIssuer } from './tokens.ts'
import { startNginxUpstream } from './upstream.ts'

const HELP = `npm run bench -- [options]

Measures the gateway beside nginx, @fastify/http-proxy and a bare proxy on the same stack (the floor), one core each.

  --quick          Fewer rounds and streams, and the start of the checkout instead of packed packages: two minutes
                   and noisier figures.
  --only NAME      One part: ${partNames.join(', ')}. May be repeated, or a list with commas.
  --peers          Other gateways that are on the PATH (nginx, HAProxy, Envoy, KrakenD, Traefik, Caddy); without --only,
                   nothing else.
  --rounds N       Measurements of each contender, 5 by default.
  --seconds N      Length of each round, 4 by default.
  --seed N         Seed of the pauses between requests.
  --beside FOLDER  Also measures the gateway of another installed checkout: before and after in one run.
  --output FOLDER  Folder of the results, bench/results by default.

Exit codes: 0 after a measurement, 1 after a failure, 2 for wrong arguments, 130 without a result when it is
stopped (SIGINT, SIGTERM, SIGHUP).
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
  cleanUpWhenStopped(folder)
  try {
    const programs = findPrograms()
    pinSelf()
    const upstream = await startNginxUpstream(programs.nginx, folder)
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

/** Contenders are detached processes: without this, a stopped bench would leave them and their files behind. */
function cleanUpWhenStopped(folder: string): void {
  const cleanUp = () => {
    endDescendants()
    rmSync(folder, { recursive: true, force: true })
    process.exit(130)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, cleanUp)
}

/** The streams of the service SDK, if they are wanted. */
async function sdkStreamsOf(
  context: BenchContext,
  { wants, quick }: Pick<Asked, 'wants' | 'quick'>,
): Promise<Pick<Results, 'sdkStreams'>> {
  if (!wants('sdk-streams')) return {}
  const counts = quick ? { busy: 200, idle: 500, stalled: 50 } : { busy: 500, idle: 2000, stalled: 200 }
  return { sdkStreams: await measureSdkStreams(context, counts) }
}

async function measureAll(
  context: BenchContext,
  machine: Machine,
  { wants, quick, isPartial, peers }: Asked,
): Promise<Results> {
  const before = machineTime()
  const throughput = []
  for (const scenario of scenarios)
    if (wants(scenario.name)) throughput.push(await measureThroughput(context, scenario))
  const allPlugins = scenarios.find(({ name }) => name === 'all-plugins')
  const counts = quick ? { busy: 200, idle: 500, stalled: 100 } : { busy: 500, idle: 5000, stalled: 1000 }
  const inQuickRun = (name: string) => wants(name) && (!quick || isPartial)
  const measured: Omit<Results, 'stolenPercent'> = {
    version: readVersion(),
    commit: readCommit(),
    date: new Date().toISOString(),
    seed: context.seed,
    quick,
    machine,
    throughput,
    ...(wants('cold-tokens') ? { coldTokens: await measureColdTokens(context) } : {}),
    ...(allPlugins !== undefined && wants('latency')
      ? { latency: await measureLatency(context, allPlugins) }
      : {}),
    ...(wants('streams') ? { streams: await measureStreams(context, counts) } : {}),
    ...(await sdkStreamsOf(context, { wants, quick })),
    ...(wants('start-up')
      ? { startUp: await measureStartUp(context, quick ? checkoutProgram : await installProgram(context)) }
      : {}),
    ...(inQuickRun('growth') ? { growth: await measureGrowth(context) } : {}),
    ...(allPlugins !== undefined && inQuickRun('workers')
      ? { workers: await measureWorkers(context, allPlugins) }
      : {}),
    ...(peers ? { peers: await measurePeers(context) } : {}),
  }
  return { ...measured, stolenPercent: stolenPercent(before, machineTime()) }
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
