import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unusedPort } from '../packages/gateway/test/harness/unused-port.ts'
import { findPrograms } from './bench-context.ts'
import { gatewayConfig } from './contenders/gateway-config.ts'
import { type CpuProfile, drawFlameGraph, readFrames, shares } from './flame-graph.ts'
import { runWrk } from './load/wrk.ts'
import { cores, untilAccepting } from './pinned-process.ts'
import { scenarios } from './scenarios.ts'
import { createIssuer } from './tokens.ts'
import { startUpstream } from './upstream.ts'

/**
 * The time of a request by function: `npm run bench:profile -- [SCENARIO] [SVG]` runs one scenario under V8's profiler
 * and draws a flame graph.
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

async function profile({ plugins, connections, request }: (typeof scenarios)[number]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'agentic-profile-'))
  const programs = findPrograms()
  const upstream = await startUpstream(programs.nginx, folder)
  try {
    const issuer = createIssuer(folder)
    const port = await unusedPort()
    const file = join(folder, 'gateway.yaml')
    writeFileSync(file, gatewayConfig({ plugins, issuers: [issuer] }, { port, upstreamPort: upstream.port }))
    const program = [join(root, 'packages/cli/bin/agentic.cjs'), 'start', '-c', file]
    const flags = ['--cpu-prof', '--cpu-prof-dir', folder]
    const child = spawn('taskset', ['-c', String(cores.measured), process.execPath, ...flags, ...program], {
      stdio: 'ignore',
    })
    await untilAccepting(port)
    const shape = { port, seconds: SECONDS, connections, seed: 1 }
    await runWrk({ wrk: programs.wrk, core: cores.load, folder }, request(issuer), shape)
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
    report(folder)
  } finally {
    await upstream.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function report(folder: string): void {
  const file = readdirSync(folder).find((entry) => entry.endsWith('.cpuprofile')) ?? ''
  const frames = readFrames(JSON.parse(readFileSync(join(folder, file), 'utf8')) as CpuProfile)
  writeFileSync(picture, drawFlameGraph(frames))
  const own = Object.entries(shares(frames)).toSorted(([, first], [, second]) => second - first)
  for (const [kind, time] of own)
    process.stdout.write(`${kind.padEnd(8)} ${((time / frames.total) * 100).toFixed(1)} %\n`)
}
