import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@agentic-rest/testing/free-port'
import { findPrograms } from './bench-context.ts'
import { gatewayConfig } from './contenders/gateway-config.ts'
import { cpuMicroseconds } from './cpu-time.ts'
import { type CpuProfile, drawFlameGraph, readFrames, shares } from './flame-graph.ts'
import { runWrk } from './load/wrk.ts'
import { cores, pinSelf, untilAccepting } from './pinned-process.ts'
import { type Scenario, scenarios } from './scenarios.ts'
import { stepTable, stepTimes } from './steps.ts'
import { createIssuer, type Issuer } from './tokens.ts'
import { startNginxUpstream } from './upstream.ts'

/**
 * The time of a request by step and by function: `npm run bench:profile -- [SCENARIO] [SVG]` runs one scenario under V8's
 * profiler, prints the steps and draws a flame graph. Samples only divide the time: how long a request takes is counted by
 * the scheduler, in a run without the profiler.
 */
const [name = 'all-plugins', picture = join(import.meta.dirname, '../docs/images/flame-graph.svg')] =
  process.argv.slice(2)
const root = join(import.meta.dirname, '..')
const SECONDS = 10

const scenario = scenarios.find((each) => each.name === name)
if (scenario === undefined) {
  process.stderr.write(
    `unknown scenario ${name}; there are: ${scenarios.map((each) => each.name).join(', ')}\n`,
  )
  process.exitCode = 2
} else await profile(scenario)

async function profile(scenario: Scenario): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'agentic-profile-'))
  const programs = findPrograms()
  pinSelf()
  const upstream = await startNginxUpstream(programs.nginx, folder)
  try {
    const issuer = createIssuer(folder)
    const setting = { scenario, issuer, folder, wrk: programs.wrk, upstreamPort: upstream.port }
    const plain = await runUnderLoad(setting, [])
    await runUnderLoad(setting, ['--cpu-prof', '--cpu-prof-interval', '200', '--cpu-prof-dir', folder])
    report(folder, plain)
  } finally {
    await upstream.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Setting {
  readonly scenario: Scenario
  readonly issuer: Issuer
  readonly folder: string
  readonly wrk: string
  readonly upstreamPort: number
}

/** Starts a gateway, warms it up, and returns the CPU time of a request, in microseconds. */
async function runUnderLoad(setting: Setting, flags: readonly string[]): Promise<number> {
  const { scenario, issuer, folder, wrk, upstreamPort } = setting
  const { plugins, connections, request } = scenario
  const port = await freePort()
  const file = join(folder, 'gateway.yaml')
  writeFileSync(file, gatewayConfig({ plugins, issuers: [issuer] }, { port, upstreamPort }))
  const program = [join(root, 'packages/cli/bin/agentic.cjs'), 'start', '-c', file]
  const child = spawn('taskset', ['-c', String(cores.measured), process.execPath, ...flags, ...program], {
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  try {
    await untilAccepting(port)
    const sent = request(issuer)
    const load = () =>
      runWrk({ wrk, core: cores.load, folder }, sent, { port, seconds: SECONDS, connections, seed: 1 })
    await load()
    const before = cpuMicroseconds(child.pid ?? 0)
    const { requests } = await load()
    return (cpuMicroseconds(child.pid ?? 0) - before) / requests
  } finally {
    child.kill('SIGTERM')
    await ended
  }
}

function report(folder: string, microsecondsPerRequest: number): void {
  const file = readdirSync(folder).find((entry) => entry.endsWith('.cpuprofile')) ?? ''
  const profile = JSON.parse(readFileSync(join(folder, file), 'utf8')) as CpuProfile
  const frames = readFrames(profile)
  writeFileSync(picture, drawFlameGraph(frames))
  process.stdout.write(`${microsecondsPerRequest.toFixed(1)} µs of CPU a request\n\n`)
  process.stdout.write(`${stepTable(stepTimes(profile), microsecondsPerRequest)}\n`)
  const own = Object.entries(shares(frames)).toSorted(([, first], [, second]) => second - first)
  for (const [kind, time] of own)
    process.stdout.write(`${kind.padEnd(8)} ${((time / frames.total) * 100).toFixed(1)} %\n`)
}
