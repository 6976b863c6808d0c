import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import type { BenchContext } from '../bench-context.ts'
import { type Contender, startContender } from '../contenders.ts'
import { cpuMicroseconds } from '../cpu-time.ts'
import { warmUp } from '../load/warm-up.ts'
import { type LoadResult, runWrk } from '../load/wrk.ts'
import { cores } from '../pinned-process.ts'
import type { Scenario } from '../scenarios.ts'
import { ratios, type Spread } from '../statistics.ts'

/** What two workers on two cores can do, to what one process on one core can. */
export interface WorkersResult {
  readonly capacity: Spread
  /** Requests per second where there are cores enough, otherwise the CPU time that a request takes in all processes. */
  readonly by: 'throughput' | 'CPU time'
}

interface Round {
  readonly requestsPerSecond: number
  readonly cpuMicroseconds: number
}

/** Load and service need a core each beside the two that are measured. */
const CORES_FOR_THROUGHPUT = 4
const COUNTS = [1, 2] as const
/** Code is compiled in each process for itself: with the same number in all, two workers would be half as warm as one. */
const WARM_UP_REQUESTS = 40_000

/** Compares one process with two workers, round by round. */
export async function measureWorkers(context: BenchContext, scenario: Scenario): Promise<WorkersResult> {
  const hasCores = availableParallelism() >= CORES_FOR_THROUGHPUT
  const running: Contender[] = []
  const rounds: Record<(typeof COUNTS)[number], Round[]> = { 1: [], 2: [] }
  try {
    for (const workers of COUNTS) {
      const contender = await start(context, scenario, { workers, hasCores })
      running.push(contender)
      const each = scenarioFor(scenario, workers)
      await warmUp(
        (seconds) => send(context, each, { contender, seconds }),
        workers * context.secondsPerRound,
        workers * WARM_UP_REQUESTS,
      )
    }
    for (let round = 0; round < context.rounds; round += 1) {
      context.tell(`workers: round ${round + 1} of ${context.rounds}`)
      for (const [index, workers] of COUNTS.entries()) {
        const contender = running[index]
        if (contender === undefined) continue
        rounds[workers].push(await measureRound(context, scenarioFor(scenario, workers), contender))
      }
    }
  } finally {
    await Promise.all(running.map((contender) => contender.stop()))
  }
  const of = (workers: 1 | 2, key: keyof Round) => rounds[workers].map((round) => round[key])
  if (hasCores) {
    const capacity = ratios(of(2, 'requestsPerSecond'), of(1, 'requestsPerSecond'))
    return { by: 'throughput', capacity }
  }
  const twice = of(1, 'cpuMicroseconds').map((microseconds) => 2 * microseconds)
  return { by: 'CPU time', capacity: ratios(twice, of(2, 'cpuMicroseconds')) }
}

/** Each process has as many connections as the one has alone: what it does in one turn is then the same. */
function scenarioFor(scenario: Scenario, workers: number): Scenario {
  return { ...scenario, connections: workers * scenario.connections }
}

function start(
  context: BenchContext,
  { plugins }: Scenario,
  { workers, hasCores }: { readonly workers: number; readonly hasCores: boolean },
): Promise<Contender> {
  const core = hasCores && workers === 2 ? `${cores.measured},${cores.measured + 1}` : cores.measured
  const surroundings = { ...context, nginx: context.programs.nginx, core }
  return startContender('gateway', surroundings, { plugins, issuers: [context.issuer], gateway: { workers } })
}

async function measureRound(context: BenchContext, scenario: Scenario, contender: Contender): Promise<Round> {
  const before = familyMicroseconds(contender.pid)
  const result = await send(context, scenario, { contender, seconds: context.secondsPerRound })
  return {
    requestsPerSecond: result.requestsPerSecond,
    cpuMicroseconds: (familyMicroseconds(contender.pid) - before) / result.requests,
  }
}

async function send(
  { programs, folder, seed, issuer }: BenchContext,
  { request, connections }: Scenario,
  { contender, seconds }: { readonly contender: Contender; readonly seconds: number },
): Promise<LoadResult> {
  const shape = { port: contender.port, seconds, connections, seed }
  const result = await runWrk({ wrk: programs.wrk, core: cores.load, folder }, request(issuer, folder), shape)
  judge(result)
  return result
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
