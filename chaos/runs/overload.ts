import { headers } from '@agentic-rest/profile'
import { type GatewayProcess, startGatewayProcess } from '@agentic-rest/testing/start-gateway-process'
import { percentile } from '../../bench/statistics.ts'
import { createCaller, requestText } from '../caller.ts'
import { type ChaosContext, type ChaosRun, type Figure, scaled } from '../chaos-run.ts'
import { createOpenLoad, isServed, isTurnedAway, type LoadSample, type OpenLoad } from '../load/open-load.ts'
import { startSlowService } from '../load/slow-service.ts'
import { doAll } from '../workers.ts'

/** Five times the capacity is requested. */
export const run: ChaosRun = {
  name: 'overload',
  title: 'five times the capacity: full goodput, and the rest is refused at once',
  // The full form needs a machine without other load.
  short: { seconds: 1.2, factor: 5, places: 4, goodputPercent: 60, refusedMs: 1000, limited: 1 },
  full: { seconds: 20, factor: 5, places: 20, goodputPercent: 85, refusedMs: 50, limited: 1 },
  run: overload,
}

const WORK_MS = 20
/** The queue length per upstream connection. */
const TURNS = 10
const PATIENCE_MS = 30_000
const RECOVERY_LIMIT_MS = 5000
const NORMAL_SHARE = 0.5
const request = () => requestText({ path: '/r', headers: { [headers.tenantId]: 'acme' } })

async function overload(context: ChaosContext): Promise<readonly Figure[]> {
  const service = await startSlowService(WORK_MS)
  const gateway = await startLimited(context, service.url).catch(async (error) => {
    await service.close()
    throw error
  })
  const load = createOpenLoad({ port: gateway.port, patienceMs: PATIENCE_MS, request })
  try {
    const peak = await measurePeak(context, gateway)
    context.tell(`overload: peak ${Math.round(peak)} requests a second`)
    const { signal } = context
    const perSecond = peak * scaled(context, 'factor')
    const ms = scaled(context, 'seconds') * 1000
    // The first moments open the connections and are not measured.
    await load.run({ perSecond, ms: ms / 3, signal })
    const startedAt = performance.now()
    const flood = await load.run({ perSecond, ms, signal })
    const floodSeconds = (performance.now() - startedAt) / 1000
    const recoveryMs = await measureRecovery(context, { load, perSecond: peak * NORMAL_SHARE })
    return figuresOf(context, { peak, flood, floodSeconds, recoveryMs })
  } finally {
    load.close()
    await gateway.stop()
    await service.close()
  }
}

/** A queue of several requests per connection: a shorter one would run empty between two bursts. */
async function startLimited(context: ChaosContext, target: string): Promise<GatewayProcess> {
  const places = scaled(context, 'places')
  const limited = scaled(context, 'limited') > 0
  const limits = {
    max_upstream_connections_per_origin: places,
    max_upstream_queue_per_origin: places * TURNS,
    // All requests are of one tenant.
    max_upstream_connections_per_tenant: places,
    max_upstream_queue_per_tenant: 1_000_000,
    max_in_flight_per_tenant: 1_000_000,
  }
  const unlimited = { ...limits, max_upstream_queue_per_origin: 1_000_000, max_in_flight: 1_000_000 }
  return await startGatewayProcess({
    folder: context.folder,
    config: {
      gateway: { limits: limited ? limits : unlimited },
      routes: [{ id: 'r', method: 'GET', path: '/r', target }],
    },
  })
}

/** The answers per second with all connections in use and no refusals. */
async function measurePeak(context: ChaosContext, { port }: GatewayProcess): Promise<number> {
  const workers = scaled(context, 'places') * 2
  const callers = Array.from({ length: workers }, () => createCaller({ port, patienceMs: PATIENCE_MS }))
  let answered = 0
  const drive = async (ms: number) => {
    answered = 0
    const startedAt = performance.now()
    const work = { count: Number.MAX_SAFE_INTEGER, workers, signal: context.signal, until: startedAt + ms }
    await doAll(work, async (_index, worker) => {
      const ending = await callers[worker]?.ask(request())
      if (ending !== undefined && isServed(ending)) answered += 1
    })
    return (answered * 1000) / (performance.now() - startedAt)
  }
  const ms = scaled(context, 'seconds') * 500
  await drive(ms)
  const peak = await drive(ms)
  for (const caller of callers) caller.close()
  return peak
}

/** The time from the end of the flood to the last unserved request of a normal load. */
async function measureRecovery(
  { signal }: ChaosContext,
  { load, perSecond }: { readonly load: OpenLoad; readonly perSecond: number },
): Promise<number> {
  const samples = await load.run({ perSecond, ms: RECOVERY_LIMIT_MS / 5, signal })
  if (samples.every(wasServed)) return 0
  const later = await load.run({ perSecond, ms: RECOVERY_LIMIT_MS, signal })
  const last = later.findLast((sample) => !wasServed(sample))
  return RECOVERY_LIMIT_MS / 5 + (last?.sentAt ?? 0)
}

const wasServed = ({ ending }: LoadSample) => isServed(ending)
const wasRefused = ({ ending }: LoadSample) => isTurnedAway(ending)

interface Measured {
  readonly peak: number
  readonly flood: readonly LoadSample[]
  readonly floodSeconds: number
  readonly recoveryMs: number
}

function figuresOf(context: ChaosContext, { peak, flood, floodSeconds, recoveryMs }: Measured): Figure[] {
  const served = flood.filter(wasServed)
  const refused = flood.filter(wasRefused)
  const offered = flood.length / scaled(context, 'seconds') / peak
  const goodput = (served.length / floodSeconds / peak) * 100
  const waits = refused.map(({ ending }) => ending.ms).toSorted((first, second) => first - second)
  const factor = scaled(context, 'factor')
  return [
    { name: 'peak', measured: peak, unit: 'requests/s', limit: 1, kind: 'at least' },
    { name: 'asked for, in peaks', measured: offered, limit: factor * 0.95, kind: 'at least' },
    {
      name: 'goodput',
      measured: goodput,
      unit: '%',
      limit: scaled(context, 'goodputPercent'),
      kind: 'at least',
    },
    { name: 'refused at once', measured: refused.length, limit: 1, kind: 'at least' },
    {
      name: 'refused answers, 99th percentile',
      measured: percentile(waits, 99),
      unit: 'ms',
      limit: scaled(context, 'refusedMs'),
      kind: 'at most',
    },
    {
      name: 'neither served nor refused',
      measured: flood.length - served.length - refused.length,
      limit: 0,
      kind: 'exactly',
    },
    {
      name: 'normal again after',
      measured: recoveryMs,
      unit: 'ms',
      limit: RECOVERY_LIMIT_MS,
      kind: 'at most',
    },
  ]
}
