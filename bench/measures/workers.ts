import { mkdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { BenchContext } from '../bench-context.ts'
import { type Contender, startContender } from '../contenders.ts'
import { cpuMicroseconds } from '../cpu-time.ts'
import { type LoadResult, runWrk, warmUp } from '../load/wrk.ts'
import { cores } from '../pinned-process.ts'
import type { Scenario } from '../scenarios.ts'
import { ratios, type Spread, spreadOf } from '../statistics.ts'

/** The capacity of two workers on two cores relative to one process on one core. */
export type WorkersResult =
  /** Measured by requests per second. */
  | { readonly by: 'throughput'; readonly capacity: Spread }
  /** With too few cores, measured by CPU time per request: one gateway, two separate gateways, two workers. */
  | {
      readonly by: 'CPU time'
      readonly capacity: Spread
      readonly microseconds: Readonly<Record<'alone' | 'apart' | 'together', Spread>>
    }

/** Processes measured together: all their ports get the same load at the same time. */
interface Side {
  readonly gateways: readonly Contender[]
  readonly ports: readonly number[]
}

interface Round {
  readonly requestsPerSecond: number
  readonly cpuMicroseconds: number
}

/** Load and service need one core each beside the two measured cores. */
const CORES_FOR_THROUGHPUT = 4
/** Per process, because each compiles its own code: with one total, two workers would be half as warm as one process. */
const WARM_UP_REQUESTS = 40_000

/** Compares two workers with separate gateways, round by round. */
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
 * Two processes on one core slow each other down because they share its caches: with two independent gateways a request
 * takes half as much time again. The comparison of two workers with two such gateways on the same core shows the cost of
 * the worker model itself.
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

/** One load generator per port, so that every process has the same number of connections as a single one. */
async function send(
  { programs, folder, seed, issuer }: BenchContext,
  { request, connections }: Scenario,
  { side, seconds }: { readonly side: Side; readonly seconds: number },
): Promise<Pick<LoadResult, 'requests' | 'requestsPerSecond'>> {
  const results = await Promise.all(
    side.ports.map((port, index) => {
      // Each generator writes a script there.
      const own = join(folder, `load-${index}`)
      mkdirSync(own, { recursive: true })
      const load = { wrk: programs.wrk, core: cores.load, folder: own }
      return runWrk(load, request(issuer), { port, seconds, connections, seed })
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

/** The CPU time of a process with its children. */
function familyMicroseconds(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  return [pid, ...children.map(Number)].reduce((sum, member) => sum + cpuMicroseconds(member), 0)
}
