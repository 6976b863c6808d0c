import { mkdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { BenchContext } from '../bench-context.ts'
import { type Contender, startContender } from '../contenders.ts'
import { cpuMicroseconds } from '../cpu-time.ts'
import { warmUp } from '../load/warm-up.ts'
import { type LoadResult, runWrk } from '../load/wrk.ts'
import { cores } from '../pinned-process.ts'
import type { Scenario } from '../scenarios.ts'
import { ratios, type Spread, spreadOf } from '../statistics.ts'

/** What two workers on two cores can do, to what one process on one core can. */
export type WorkersResult =
  /** By requests per second. */
  | { readonly by: 'throughput'; readonly capacity: Spread }
  /** By the CPU time of a request, where there are not cores enough: in one gateway, in two apart, in two workers. */
  | {
      readonly by: 'CPU time'
      readonly capacity: Spread
      readonly microseconds: Readonly<Record<'alone' | 'apart' | 'together', Spread>>
    }

/** What is measured together: each of its ports gets the same load at the same time. */
interface Side {
  readonly gateways: readonly Contender[]
  readonly ports: readonly number[]
}

interface Round {
  readonly requestsPerSecond: number
  readonly cpuMicroseconds: number
}

/** Load and service need a core each beside the two that are measured. */
const CORES_FOR_THROUGHPUT = 4
/** Code is compiled in each process for itself: with the same number in all, two workers would be half as warm as one. */
const WARM_UP_REQUESTS = 40_000

/** Compares two workers with what they replace, round by round. */
export async function measureWorkers(context: BenchContext, scenario: Scenario): Promise<WorkersResult> {
  const hasCores = availableParallelism() >= CORES_FOR_THROUGHPUT
  const running: Contender[] = []
  const start = async (workers: number, core: number | string = cores.measured) => {
    const surroundings = { ...context, nginx: context.programs.nginx, core }
    const setting = { plugins: scenario.plugins, issuers: [context.issuer], gateway: { workers } }
    const gateway = await startContender('gateway', surroundings, setting)
    running.push(gateway)
    return gateway
  }
  try {
    return hasCores ? await byThroughput(context, scenario, start) : await byCpuTime(context, scenario, start)
  } finally {
    await Promise.all(running.map((gateway) => gateway.stop()))
  }
}

type Start = (workers: number, core?: number | string) => Promise<Contender>

async function byThroughput(context: BenchContext, scenario: Scenario, start: Start): Promise<WorkersResult> {
  const [one, two] = [await start(1), await start(2, `${cores.measured},${cores.measured + 1}`)]
  const sides = { one: sideOf([one], [one]), two: sideOf([two], [two, two]) }
  const rounds = await measureSides(context, scenario, sides)
  const of = (side: readonly Round[]) => side.map(({ requestsPerSecond }) => requestsPerSecond)
  return { by: 'throughput', capacity: ratios(of(rounds.two), of(rounds.one)) }
}

/**
 * Any two processes on one core hinder each other, because they share its caches: two gateways that know nothing of
 * each other take half as much time again for each request as one alone. Two workers are compared with two such
 * gateways on the same core, and what differs is what it costs to be workers.
 */
async function byCpuTime(context: BenchContext, scenario: Scenario, start: Start): Promise<WorkersResult> {
  const [first, second, both] = [await start(1), await start(1), await start(2)]
  const rounds = await measureSides(context, scenario, {
    alone: sideOf([first], [first]),
    apart: sideOf([first, second], [first, second]),
    together: sideOf([both], [both, both]),
  })
  const of = (side: readonly Round[]) => side.map((round) => round.cpuMicroseconds)
  const [alone, apart, together] = [of(rounds.alone), of(rounds.apart), of(rounds.together)]
  const capacity = ratios(
    apart.map((microseconds) => 2 * microseconds),
    together,
  )
  const microseconds = { alone: spreadOf(alone), apart: spreadOf(apart), together: spreadOf(together) }
  return { by: 'CPU time', capacity, microseconds }
}

function sideOf(gateways: readonly Contender[], asked: readonly Contender[]): Side {
  return { gateways, ports: asked.map(({ port }) => port) }
}

async function measureSides<Name extends string>(
  context: BenchContext,
  scenario: Scenario,
  sides: Readonly<Record<Name, Side>>,
): Promise<Record<Name, Round[]>> {
  const entries = Object.entries<Side>(sides) as [Name, Side][]
  const rounds = Object.fromEntries(entries.map(([name]) => [name, [] as Round[]])) as Record<Name, Round[]>
  for (const [, side] of entries) {
    const processes = side.ports.length
    await warmUp(
      (seconds) => send(context, scenario, { side, seconds }),
      processes * context.secondsPerRound,
      processes * WARM_UP_REQUESTS,
    )
  }
  for (let round = 0; round < context.rounds; round += 1) {
    context.tell(`workers: round ${round + 1} of ${context.rounds}`)
    for (const [name, side] of entries) rounds[name].push(await measureRound(context, scenario, side))
  }
  return rounds
}

async function measureRound(context: BenchContext, scenario: Scenario, side: Side): Promise<Round> {
  const spent = () => side.gateways.reduce((sum, { pid }) => sum + familyMicroseconds(pid), 0)
  const before = spent()
  const { requests, requestsPerSecond } = await send(context, scenario, {
    side,
    seconds: context.secondsPerRound,
  })
  return { requestsPerSecond, cpuMicroseconds: (spent() - before) / requests }
}

/** One load generator for each port, so that every process has as many connections as one has alone. */
async function send(
  { programs, folder, seed, issuer }: BenchContext,
  { request, connections }: Scenario,
  { side, seconds }: { readonly side: Side; readonly seconds: number },
): Promise<Pick<LoadResult, 'requests' | 'requestsPerSecond'>> {
  const results = await Promise.all(
    side.ports.map((port, index) => {
      // Each writes a script there.
      const own = join(folder, `load-${index}`)
      mkdirSync(own, { recursive: true })
      const load = { wrk: programs.wrk, core: cores.load, folder: own }
      return runWrk(load, request(issuer, own), { port, seconds, connections, seed })
    }),
  )
  for (const result of results) judge(result)
  const sum = (key: 'requests' | 'requestsPerSecond') =>
    results.reduce((total, result) => total + result[key], 0)
  return { requests: sum('requests'), requestsPerSecond: sum('requestsPerSecond') }
}

function judge({ requests, otherAnswers, socketErrors }: LoadResult): void {
  if (requests === 0 || otherAnswers > 0 || socketErrors > 0)
    throw new Error(`workers: ${requests} answers, ${otherAnswers} refused, ${socketErrors} socket errors`)
}

/** The time of a process and of its children. */
function familyMicroseconds(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  return [pid, ...children.map(Number)].reduce((sum, member) => sum + cpuMicroseconds(member), 0)
}
