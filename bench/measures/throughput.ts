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
      const sending = { scenario, request, name }
      await warmUp((seconds) => sendJudged(context, contender, { ...sending, seconds }), warmUpSeconds)
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

/** The requests for one contender. */
export interface Sending {
  readonly scenario: Scenario
  readonly request: LoadRequest
  /** The contender, for messages. */
  readonly name: string
}

/** Sends requests for some seconds; rejects when an answer is not the expected one. */
export async function sendJudged(
  { programs, folder, seed }: BenchContext,
  { port }: Contender,
  { scenario, request, name, seconds }: Sending & { readonly seconds: number },
): Promise<LoadResult> {
  const shape = { port, seconds, connections: scenario.connections, seed }
  const result = await runWrk({ wrk: programs.wrk, core: cores.load, folder }, request, shape)
  judge(result, scenario, name)
  return result
}

/** Error answers are fast: a contender with errors would look fast. */
function judge({ requests, otherAnswers, socketErrors }: LoadResult, scenario: Scenario, name: string): void {
  const wrong = scenario.expectsRefusal ? requests - otherAnswers : otherAnswers
  if (wrong > 0 || socketErrors > 0)
    throw new Error(
      `${name}, ${scenario.name}: ${requests} answers, ${wrong} of them wrong, ${socketErrors} socket errors`,
    )
}

/** Measures one contender for one round. */
export async function measureRound(
  context: BenchContext,
  contender: Contender,
  sending: Sending,
): Promise<Round> {
  const before = cpuMicroseconds(contender.pid)
  const result = await sendJudged(context, contender, { ...sending, seconds: context.secondsPerRound })
  // A warm-up on a busy machine may get no answer; a round without one has no figures.
  if (result.requests === 0)
    throw new Error(`${sending.name}, ${sending.scenario.name}: no answer in a round`)
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

/** The figures of several rounds. */
export type RoundSummary = Readonly<Record<keyof Round, Spread>>

/** Summarises the rounds of one contender. */
export function summary(rounds: readonly Round[]): RoundSummary {
  const of = (key: keyof Round) => spreadOf(rounds.map((round) => round[key]))
  return {
    cpuMicroseconds: of('cpuMicroseconds'),
    requestsPerSecond: of('requestsPerSecond'),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    residentMegabytes: of('residentMegabytes'),
  }
}
