import type { BenchContext } from '../bench-context.ts'
import { type Contender, startContender } from '../contenders.ts'
import { type LoadRequest, runWrk, warmUp } from '../load/wrk.ts'
import { cores } from '../pinned-process.ts'
import type { Scenario } from '../scenarios.ts'
import { type Spread, spreadOf } from '../statistics.ts'

/** The latency that the gateway adds to nginx, at half of its capacity. */
export interface LatencyResult {
  readonly requestsPerSecond: number
  readonly addedP50Ms: Spread
  readonly addedP99Ms: Spread
}

const CONNECTIONS = 64

/** Loads gateway and nginx with the same rate: half of the gateway's capacity. */
export async function measureLatency(context: BenchContext, scenario: Scenario): Promise<LatencyResult> {
  const request = scenario.request(context.issuer)
  const setting = { plugins: scenario.plugins, issuers: [context.issuer] }
  const surroundings = { ...context, nginx: context.programs.nginx }
  const [gateway, nginx] = [
    await startContender('gateway', surroundings, setting),
    await startContender('nginx', surroundings, setting),
  ]
  try {
    for (const contender of [gateway, nginx])
      await warmUp((seconds) => send(context, contender, { request, seconds }), context.secondsPerRound)
    const capacity = await send(context, gateway, { request, seconds: context.secondsPerRound })
    const requestsPerSecond = capacity.requestsPerSecond / 2
    const pauseMs = (CONNECTIONS / requestsPerSecond) * 1000
    const added: { p50: number; p99: number }[] = []
    for (let round = 0; round < context.rounds; round += 1) {
      context.tell(`answer times at half load: round ${round + 1} of ${context.rounds}`)
      const steady = { request, seconds: context.secondsPerRound, pauseMs }
      const below = await send(context, nginx, steady)
      const own = await send(context, gateway, steady)
      added.push({ p50: own.p50Ms - below.p50Ms, p99: own.p99Ms - below.p99Ms })
    }
    return {
      requestsPerSecond,
      addedP50Ms: spreadOf(added.map(({ p50 }) => p50)),
      addedP99Ms: spreadOf(added.map(({ p99 }) => p99)),
    }
  } finally {
    await Promise.all([gateway.stop(), nginx.stop()])
  }
}

function send(
  { programs, folder, seed }: BenchContext,
  { port }: Contender,
  {
    request,
    ...rest
  }: { readonly request: LoadRequest; readonly seconds: number; readonly pauseMs?: number },
) {
  return runWrk({ wrk: programs.wrk, core: cores.load, folder }, request, {
    port,
    connections: CONNECTIONS,
    seed,
    ...rest,
  })
}
