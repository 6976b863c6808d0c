import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchContext } from '../bench-context.ts'
import type { GatewaySetting } from '../contenders/gateway-config.ts'
import { type Contender, startContender } from '../contenders.ts'
import { cpuMicroseconds } from '../cpu-time.ts'
import { type LoadRequest, type LoadResult, runWrk, warmUp } from '../load/wrk.ts'
import { cores } from '../pinned-process.ts'
import { ratios, type Spread } from '../statistics.ts'
import { createIssuer, type Issuer } from '../tokens.ts'
import { upstreamPaths } from '../upstream.ts'

/** The growth of a request's CPU time with a size. */
export interface GrowthResult {
  readonly what: string
  /** CPU time per request with many divided by CPU time with few. */
  readonly ratio: Spread
}

interface Case {
  readonly setting: GatewaySetting
  readonly request: LoadRequest
}

/** Compares few and many: routes, tenants, issuers. */
export async function measureGrowth(context: BenchContext): Promise<GrowthResult[]> {
  const { issuer, folder } = context
  const all = (setting: Partial<GatewaySetting> = {}): GatewaySetting => ({
    plugins: 'token',
    issuers: [issuer],
    ...setting,
  })
  const one = tokenRequest(folder, 'one', [issuer.token()])
  const tenants = (count: number) =>
    tokenRequest(
      folder,
      `tenants-${count}`,
      Array.from({ length: 1000 }, (_, index) =>
        issuer.token({ tenant_id: `tenant-${index % count}`, sub: `person-${index}` }),
      ),
    )
  const issuers = [
    issuer,
    ...Array.from({ length: 49 }, (_, index) => createIssuer(folder, `issuer-${index}`)),
  ]
  const fromIssuers = (list: readonly Issuer[]) =>
    tokenRequest(
      folder,
      `issuers-${list.length}`,
      Array.from({ length: 1000 }, (_, index) =>
        (list[index % list.length] ?? issuer).token({ jti: String(index) }),
      ),
    )
  return [
    await compare(context, 'routes: 1,000 to 10', [
      { setting: all({ extraRoutes: 5 }), request: one },
      { setting: all({ extraRoutes: 995 }), request: one },
    ]),
    await compare(context, 'tenants: 1,000 to 1', [
      { setting: all(), request: tenants(1) },
      { setting: all(), request: tenants(1000) },
    ]),
    await compare(context, 'issuers: 50 to 1', [
      { setting: all(), request: fromIssuers([issuer]) },
      { setting: all({ issuers }), request: fromIssuers(issuers) },
    ]),
  ]
}

function tokenRequest(folder: string, name: string, tokens: readonly string[]): LoadRequest {
  const file = join(folder, `${name}.txt`)
  writeFileSync(file, `${tokens.join('\n')}\n`)
  return {
    method: 'GET',
    path: upstreamPaths.item,
    headers: {},
    headerLines: { name: 'Authorization', file, skipped: 0, prefix: 'Bearer ' },
  }
}

async function compare(
  context: BenchContext,
  what: string,
  cases: readonly [Case, Case],
): Promise<GrowthResult> {
  const running: Contender[] = []
  const cpu: [number[], number[]] = [[], []]
  try {
    for (const { setting, request } of cases) {
      const gateway = await startContender('gateway', { ...context, nginx: context.programs.nginx }, setting)
      running.push(gateway)
      await warmUp((seconds) => send(context, gateway, { request, seconds }), context.secondsPerRound)
    }
    for (let round = 0; round < context.rounds; round += 1) {
      context.tell(`${what}: round ${round + 1} of ${context.rounds}`)
      for (const [index, { request }] of cases.entries()) {
        const gateway = running[index]
        if (gateway !== undefined) cpu[index]?.push(await perRequest(context, gateway, request))
      }
    }
  } finally {
    await Promise.all(running.map((gateway) => gateway.stop()))
  }
  return { what, ratio: ratios(cpu[1], cpu[0]) }
}

async function perRequest(context: BenchContext, gateway: Contender, request: LoadRequest): Promise<number> {
  const before = cpuMicroseconds(gateway.pid)
  const { requests } = await send(context, gateway, { request, seconds: context.secondsPerRound })
  return (cpuMicroseconds(gateway.pid) - before) / requests
}

async function send(
  { programs, folder, seed }: BenchContext,
  { port }: Contender,
  { request, seconds }: { readonly request: LoadRequest; readonly seconds: number },
): Promise<LoadResult> {
  const shape = { port, seconds, connections: 32, seed }
  const result = await runWrk({ wrk: programs.wrk, core: cores.load, folder }, request, shape)
  if (result.otherAnswers > 0) throw new Error(`${result.otherAnswers} answers were refusals`)
  return result
}
