import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '@agentic-rest/testing/free-port'
import { findOnPath } from '@agentic-rest/testing/programs'
import type { BenchContext } from '../bench-context.ts'
import { type Peer, peers } from '../contenders/peer-programs.ts'
import { type Contender, startContender } from '../contenders.ts'
import { type LoadRequest, warmUp } from '../load/wrk.ts'
import { cores, startPinned } from '../pinned-process.ts'
import { type Scenario, scenarios } from '../scenarios.ts'
import { ratios, type Spread } from '../statistics.ts'
import { measureRound, type Round, type RoundSummary, sendJudged, summary } from './throughput.ts'

/** Other gateways beside ours, with the same upstream and the same token. */
export interface PeersResult {
  readonly programs: readonly PeerProgram[]
  /** Programs that are not on the PATH. */
  readonly missing: readonly string[]
  readonly tables: readonly PeerTable[]
}

/** A measured program. */
export interface PeerProgram {
  readonly name: string
  readonly version: string
  readonly checksToken: boolean
  readonly settings: string
}

/** The figures of one kind of request, by program. */
export interface PeerTable {
  readonly title: string
  readonly contenders: Readonly<Record<string, RoundSummary>>
  /** CPU time per request of our gateway with all plugins, divided by that of another program in the same round. */
  readonly allPluginsTo: Readonly<Record<string, Spread>>
}

interface RunningPeer {
  readonly program: PeerProgram
  readonly contender: Contender
}

const READY_MS = 10_000
const ALL_PLUGINS = 'gateway, all plugins'
/** The title of the table with POST requests. */
export const POST_TITLE = 'Beside other gateways: POST of JSON'
const requests = [
  { scenario: 'passthrough', title: 'Beside other gateways: GET' },
  { scenario: 'all-plugins', title: POST_TITLE },
] as const

/** Runs the peers on the PATH, our gateway with the token check alone, and with all plugins, in turn. */
export async function measurePeers(context: BenchContext): Promise<PeersResult> {
  const found = peers.flatMap((peer) => {
    const path = findOnPath(peer.program)
    return path === undefined ? [] : [{ peer, path }]
  })
  const missing = peers
    .map(({ program }) => program)
    .filter((name) => !found.some(({ peer }) => peer.program === name))
  if (missing.length > 0) context.tell(`not on the PATH: ${missing.join(', ')}`)
  const running: RunningPeer[] = []
  try {
    for (const { peer, path } of found) running.push(await startPeer(context, peer, path))
    for (const plugins of ['token', 'all'] as const) running.push(await startOwnGateway(context, plugins))
    for (const each of running) await checkRefusal(context, each)
    const tables = []
    for (const { scenario: name, title } of requests) {
      const scenario = scenarios.find((each) => each.name === name)
      if (scenario !== undefined) tables.push({ title, ...(await measureTable(context, scenario, running)) })
    }
    return { programs: running.map(({ program }) => program), missing, tables }
  } finally {
    await Promise.all(running.map(({ contender }) => contender.stop()))
  }
}

async function startPeer(context: BenchContext, peer: Peer, path: string): Promise<RunningPeer> {
  const port = await freePort()
  const folder = join(context.folder, `peer-${peer.program}`)
  mkdirSync(folder, { recursive: true })
  const setting = { folder, port, upstreamPort: context.upstreamPort, issuer: context.issuer }
  for (const [name, text] of Object.entries(peer.files(setting))) writeFileSync(join(folder, name), text)
  // Some keep state in the folder of the user.
  const env = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  const command = [path, ...peer.arguments(setting)]
  const contender = { port, ...(await startPinned({ command, core: cores.measured, port, env })) }
  const { checksToken, settings } = peer
  const version = readVersion(spawnSync(path, [...peer.versionArguments], { encoding: 'utf8' }))
  return { program: { name: peer.program, version, checksToken, settings }, contender }
}

/** The version in the output of a program; nginx writes it on stderr. */
export function readVersion({
  stdout,
  stderr,
}: {
  readonly stdout: string
  readonly stderr: string
}): string {
  return /\d+\.\d+\.\d+/.exec(`${stdout}\n${stderr}`)?.[0] ?? 'unknown'
}

async function startOwnGateway(context: BenchContext, plugins: 'token' | 'all'): Promise<RunningPeer> {
  const surroundings = { ...context, nginx: context.programs.nginx }
  const contender = await startContender('gateway', surroundings, { plugins, issuers: [context.issuer] })
  const name = plugins === 'token' ? 'gateway' : ALL_PLUGINS
  const settings =
    plugins === 'token'
      ? 'token, tenant, routing, limits and metrics'
      : 'licence, sanitizing and audit records too'
  return { program: { name, version: 'this commit', checksToken: true, settings }, contender }
}

/** A forged token is refused by each program that checks tokens: otherwise it would be measured without its check. */
async function checkRefusal({ issuer }: BenchContext, { program, contender }: RunningPeer): Promise<void> {
  const scenario = scenarios.find(({ name }) => name === 'passthrough')
  if (scenario === undefined) return
  const { path, headers } = scenario.request(issuer)
  const url = `http://127.0.0.1:${contender.port}${path}`
  const end = performance.now() + READY_MS
  // A port may accept connections before its routes are there.
  while ((await fetch(url, { headers })).status !== 200) {
    if (performance.now() > end) throw new Error(`${program.name} does not accept the token`)
    await wait(50)
  }
  const authorization = headers['Authorization'] ?? ''
  const forged = `${authorization.slice(0, -8)}AAAAAAAA`
  const { status } = await fetch(url, { headers: { ...headers, Authorization: forged } })
  if ((status !== 200) !== program.checksToken)
    throw new Error(`${program.name} answers a forged token with ${status}`)
}

async function measureTable(
  context: BenchContext,
  scenario: Scenario,
  running: readonly RunningPeer[],
): Promise<Omit<PeerTable, 'title'>> {
  const request: LoadRequest = scenario.request(context.issuer)
  const rounds = new Map<string, Round[]>(running.map(({ program }) => [program.name, []]))
  for (const { program, contender } of running) {
    const sending = { scenario, request, name: program.name }
    await warmUp(
      (seconds) => sendJudged(context, contender, { ...sending, seconds }),
      context.secondsPerRound,
    )
  }
  for (let round = 0; round < context.rounds; round += 1) {
    context.tell(`${scenario.name} beside other gateways: round ${round + 1} of ${context.rounds}`)
    for (const { program, contender } of running)
      rounds
        .get(program.name)
        ?.push(await measureRound(context, contender, { scenario, request, name: program.name }))
  }
  const cpu = (name: string) => (rounds.get(name) ?? []).map(({ cpuMicroseconds }) => cpuMicroseconds)
  const others = [...rounds.keys()].filter((name) => name !== ALL_PLUGINS)
  return {
    contenders: Object.fromEntries([...rounds].map(([name, all]) => [name, summary(all)])),
    allPluginsTo: Object.fromEntries(others.map((name) => [name, ratios(cpu(ALL_PLUGINS), cpu(name))])),
  }
}
