import type { BenchContext } from '../bench-context.ts'
import type { GatewaySetting } from '../contenders/gateway-config.ts'
import { type Contender, type ContenderName, contenderNames, startContender } from '../contenders.ts'
import { cpuMicroseconds, residentKilobytes } from '../cpu-time.ts'
import { type LoadRequest, type LoadResult, runWrk, WARM_UP_ROUNDS, warmUp } from '../load/wrk.ts'
import { cores } from '../pinned-process.ts'
import type { Scenario } from '../scenarios.ts'
import { ratios, type Spread, spreadOf } from '../statistics.ts'

/** The figures of one contender in one round. */
export interface Round {
  readonly cpuMicroseconds: number
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly residentMegabytes: number
}

/** A scenario with the figures of all contenders. */
export interface ThroughputResult {
  readonly scenario: string
  readonly title: string
  /** `beside` only with another checkout. */
  readonly contenders: Readonly<Partial<Record<ContenderName, Readonly<Record<keyof Round, Spread>>>>>
  /** CPU time per request of the gateway divided by that of another contender in the same round. */
  readonly gatewayTo: Readonly<Partial<Record<ContenderName, Spread>>>
}

/** Sends one kind of request to every contender, one after another in each round. */
export async function measureThroughput(
  context: BenchContext,
  scenario: Scenario,
): Promise<ThroughputResult> {
  const request = scenario.request(context.issuer)
  const setting: GatewaySetting = { plugins: scenario.plugins, issuers: [context.issuer] }
  const running = new Map<ContenderName, Contender>()
  const rounds = new Map<ContenderName, Round[]>()
  // One round is a trial of the program and no measurement: it warms up for one round too.
  const warmUpSeconds = context.secondsPerRound * Math.min(1, context.rounds / WARM_UP_ROUNDS)
  try {
    for (const name of contenderNames) {
      if (name === 'beside' && context.beside === undefined) continue
      rounds.set(name, [])
      const contender = await startContender(name, { ...context, nginx: context.programs.nginx }, setting)
      running.set(name, contender)
      await warmUp(async (seconds) => {
        const result = await load(context, contender, { scenario, request, seconds })
        judge(result, scenario, name)
        return result
      }, warmUpSeconds)
    }
    for (let round = 0; round < context.rounds; round += 1) {
      context.tell(`${scenario.title}: round ${round + 1} of ${context.rounds}`)
      for (const [name, contender] of running)
        rounds.get(name)?.push(await measureRound(context, contender, { scenario, request, name }))
    }
  } finally {
    await Promise.all([...running.values()].map((contender) => contender.stop()))
  }
  return summarise(scenario, rounds)
}

interface Sending {
  readonly scenario: Scenario
  readonly request: LoadRequest
}

function load(
  { programs, folder, seed }: BenchContext,
  { port }: Contender,
  { scenario, request, seconds }: Sending & { readonly seconds: number },
): Promise<LoadResult> {
  const shape = { port, seconds, connections: scenario.connections, seed }
  return runWrk({ wrk: programs.wrk, core: cores.load, folder }, request, shape)
}

/** Error answers are fast: a contender with errors would look fast. */
function judge({ requests, otherAnswers, socketErrors }: LoadResult, scenario: Scenario, name: string): void {
  const wrong = scenario.expectsRefusal ? requests - otherAnswers : otherAnswers
  if (requests === 0 || wrong > 0 || socketErrors > 0)
    throw new Error(
      `${name}, ${scenario.name}: ${requests} answers, ${wrong} of them wrong, ${socketErrors} socket errors`,
    )
}

async function measureRound(
  context: BenchContext,
  contender: Contender,
  { scenario, request, name }: Sending & { readonly name: string },
): Promise<Round> {
  const before = cpuMicroseconds(contender.pid)
  const result = await load(context, contender, { scenario, request, seconds: context.secondsPerRound })
  judge(result, scenario, name)
  return {
    cpuMicroseconds: (cpuMicroseconds(contender.pid) - before) / result.requests,
    requestsPerSecond: result.requestsPerSecond,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    residentMegabytes: residentKilobytes(contender.pid) / 1024,
  }
}

function summarise(
  { name, title }: Scenario,
  rounds: ReadonlyMap<ContenderName, readonly Round[]>,
): ThroughputResult {
  const cpu = (own: readonly Round[] = []) => own.map((round) => round.cpuMicroseconds)
  const own = cpu(rounds.get('gateway'))
  const others = [...rounds].filter(([contender]) => contender !== 'gateway')
  return {
    scenario: name,
    title,
    contenders: Object.fromEntries([...rounds].map(([contender, all]) => [contender, summary(all)])),
    gatewayTo: Object.fromEntries(others.map(([contender, all]) => [contender, ratios(own, cpu(all))])),
  }
}

function summary(rounds: readonly Round[]): Record<keyof Round, Spread> {
  const of = (key: keyof Round) => spreadOf(rounds.map((round) => round[key]))
  return {
    cpuMicroseconds: of('cpuMicroseconds'),
    requestsPerSecond: of('requestsPerSecond'),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    residentMegabytes: of('residentMegabytes'),
  }
}
