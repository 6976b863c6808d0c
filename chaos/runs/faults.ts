import { setTimeout as wait } from 'node:timers/promises'
import type { GatewayProcess } from '@agentic-rest/testing/start-gateway-process'
import { type Caller, createCaller } from '../caller.ts'
import { type ChaosContext, type ChaosRun, type Figure, scaled } from '../chaos-run.ts'
import { faults } from '../faults.ts'
import { type FaultyWorld, startFaultyWorld } from '../faulty-world/faulty-world.ts'
import {
  ordinaryRequest,
  type PlannedRequest,
  plannedText,
  planRequest,
} from '../faulty-world/planned-request.ts'
import { judge, NEVER_MET, newTally, STREAM_SURPLUS_MS, type Tally } from '../faulty-world/tally.ts'
import { addedFiles, openFiles } from '../open-files.ts'
import { createSeeded } from '../seeded.ts'
import { seriesSum } from '../series.ts'
import { watchStalls } from '../stalls.ts'
import { until } from '../until.ts'
import { doAll } from '../workers.ts'

/** Network faults of every kind around a gateway. */
export const run: ChaosRun = {
  name: 'faults',
  title: 'every kind of network fault around a gateway: one outcome or an explicit abort, in time',
  // Few requests at a time, so that a busy machine is no overload. A deadline of three seconds: on a busy machine, one is not enough.
  // A stream may hang for 30 seconds beyond its deadline, an export for 5: only the full form waits for them.
  short: {
    requests: 600,
    faultPercent: 6,
    kinds: 24,
    deadlineSeconds: 3,
    graceMs: 4000,
    longHangs: 0,
    workers: 32,
  },
  full: {
    requests: 100_000,
    faultPercent: 9.5,
    kinds: faults.length,
    deadlineSeconds: 2,
    graceMs: 1000,
    longHangs: 1,
    workers: 48,
  },
  run: runFaults,
}

const NEIGHBOUR_FAULT_SHARE = 0.1
/** Extra patience after the latest allowed time of an answer. */
const PATIENCE_MS = 2000
/** The gateway keeps idle connections to services for four seconds. */
const IDLE_MS = 6000
/** gRPC waits 20 seconds for the greeting of a collector. */
const QUIET_MS = 30_000

async function runFaults(context: ChaosContext): Promise<readonly Figure[]> {
  const deadlineSeconds = scaled(context, 'deadlineSeconds')
  const { folder, seed } = context
  const longHangs = scaled(context, 'longHangs') > 0
  const share = NEIGHBOUR_FAULT_SHARE
  const world = await startFaultyWorld({ folder, seed, deadlineSeconds, share, longHangs })
  try {
    await warmUp(world)
    context.tell(
      `faults: ports ${Object.entries(world.proxies)
        .map(([name, { port }]) => `${name} ${port}`)
        .join(', ')}`,
    )
    // Wait until idle connections have closed: they are not part of the count before the faults.
    if (longHangs) await wait(IDLE_MS)
    const filesBefore = openFiles(world.gateway.pid)
    const tally = newTally()
    const plans = planAll(context)
    await sendAll(context, { world, tally, plans })
    for (const example of tally.examples) context.tell(`faults: ${example}`)
    context.tell(`faults: the latest was ${tally.latest}`)
    context.tell(`faults: ${[...tally.outcomes].map(([name, count]) => `${name} ${count}`).join(', ')}`)
    return [
      ...figuresOf(context, { world, tally, plans }),
      ...(await afterwards(context, { gateway: world.gateway, filesBefore })),
    ]
  } finally {
    await world.close()
  }
}

/** Opens the permanent connections, so that they are counted before the first fault. */
async function warmUp({ gateway, token, pathTo, proxies }: FaultyWorld): Promise<void> {
  const caller = createCaller({ port: gateway.port, patienceMs: 5000 })
  await caller.ask(plannedText(ordinaryRequest, { token, pathTo }))
  caller.close()
  await until(
    () => proxies.collector.open,
    (connections) => connections > 0,
    QUIET_MS,
  )
}

function planAll(context: ChaosContext): PlannedRequest[] {
  const seeded = createSeeded(context.seed)
  const longHangs = scaled(context, 'longHangs') > 0
  // Faults in turn: with random faults, a short run would sometimes miss half of the kinds.
  let dealt = seeded.below(faults.length)
  return Array.from({ length: scaled(context, 'requests') }, (_, index) => {
    const drawn = planRequest(seeded, index)
    const plan = drawn.fault === undefined ? drawn : { ...drawn, fault: faults[dealt++ % faults.length] }
    const hangs = plan.kind === 'events' && plan.fault?.hangs === true
    return hangs && !longHangs ? { ...plan, fault: undefined } : plan
  })
}

interface Sending {
  readonly world: FaultyWorld
  readonly tally: Tally
  readonly plans: readonly PlannedRequest[]
}

async function sendAll(context: ChaosContext, { world, tally, plans }: Sending): Promise<void> {
  const workers = scaled(context, 'workers')
  const deadlineMs = scaled(context, 'deadlineSeconds') * 1000
  const { port } = world.gateway
  const patienceMs = deadlineMs + scaled(context, 'graceMs') + PATIENCE_MS
  const callers = Array.from({ length: workers }, () => createCaller({ port, patienceMs }))
  // A stream that hangs for half a minute must not block a worker.
  const streams: Promise<void>[] = []
  const progress = (done: number) => context.tell(`faults: ${done} of ${plans.length}`)
  const stalls = watchStalls()
  const send = async (plan: PlannedRequest, caller: Caller) => {
    const startedAt = performance.now()
    const ending = await caller.ask(plannedText(plan, world))
    judge(plan, ending, { tally, deadlineMs, lostMs: stalls.lostSince(startedAt) })
  }
  await doAll({ count: plans.length, workers, signal: context.signal, progress }, async (index, worker) => {
    const plan = plans[index] as PlannedRequest
    // Stored spans would fill the memory of this process.
    world.collector.spans.length = 0
    if (plan.kind !== 'events') return await send(plan, callers[worker] as Caller)
    const caller = createCaller({ port, patienceMs: patienceMs + STREAM_SURPLUS_MS })
    streams.push(send(plan, caller).finally(() => caller.close()))
  })
  await Promise.all(streams)
  stalls.close()
  context.tell(`faults: this process did not run for ${Math.round(stalls.totalMs)} ms`)
  for (const caller of callers) caller.close()
}

interface FaultsDone {
  readonly requests: number
  readonly kinds: number
}

/**
 * The faults that requests really met. The gateway may try twice, so an opening address can have more connections than
 * requests. For an address without a listener, the results of the requests are counted.
 */
function faultsDone({ struck, openings, proxies }: FaultyWorld, { met }: Tally): FaultsDone {
  const opened = openings.map(({ fault, address }) => {
    const { sent, unserved } = met.get(fault.name) ?? NEVER_MET
    return Math.min(sent, address.times() ?? unserved)
  })
  const kinds = proxies.services.done.size + opened.filter((count) => count > 0).length
  return { requests: struck.size + sum(opened), kinds }
}

function figuresOf(context: ChaosContext, { world, tally, plans }: Sending): Figure[] {
  const { upstream, proxies } = world
  const graceMs = scaled(context, 'graceMs')
  const done = faultsDone(world, tally)
  const ended = tally.answers + tally.aborts + tally.hung
  const twice = plans.filter(
    ({ id, method, keyed }) => method === 'POST' && !keyed && (upstream.executed.get(id) ?? 0) > 1,
  )
  const neighbours = [proxies.keys, proxies.directory, proxies.collector]
  const failedCalls = neighbours.flatMap(({ done: counts }) => [...counts.values()])
  const none = { limit: 0, kind: 'exactly' } as const
  return [
    { name: 'requests', measured: ended, limit: plans.length, kind: 'exactly' },
    { name: 'requests that met a fault', measured: done.requests, limit: 1, kind: 'at least' },
    {
      name: 'requests that met a fault, of all',
      measured: (done.requests / ended) * 100,
      unit: '%',
      limit: scaled(context, 'faultPercent'),
      kind: 'at least',
    },
    { name: 'kinds of faults', measured: done.kinds, limit: scaled(context, 'kinds'), kind: 'at least' },
    {
      name: 'failed calls of directory, key server, collector',
      measured: sum(failedCalls),
      limit: 1,
      kind: 'at least',
    },
    {
      name: 'answers and explicit aborts',
      measured: tally.answers + tally.aborts,
      limit: plans.length,
      kind: 'exactly',
    },
    { name: 'requests without an end', measured: tally.hung, ...none },
    { name: 'answers that are no valid outcome of their request', measured: tally.invalid, ...none },
    { name: 'requests that failed without a fault', measured: tally.failedWithoutFault, ...none },
    {
      name: 'latest end after its deadline',
      measured: Math.round(tally.latestMs),
      unit: 'ms',
      limit: graceMs,
      kind: 'at most',
    },
    { name: 'executed twice without a key', measured: twice.length, ...none },
  ]
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

/** The state of the gateway after the last request. */
async function afterwards(
  { tell }: ChaosContext,
  { gateway, filesBefore }: { readonly gateway: GatewayProcess; readonly filesBefore: readonly string[] },
): Promise<Figure[]> {
  const filesAfter = await until(
    () => openFiles(gateway.pid),
    (files) => files.length <= filesBefore.length,
    QUIET_MS,
  )
  const added = filesAfter.length - filesBefore.length
  if (added > 0) tell(`faults: still open: ${addedFiles(filesBefore, filesAfter).join('; ')}`)
  const scrape = await until(
    () => gateway.metrics(),
    (text) =>
      seriesSum(text, 'agentic_plugin_otelaudit_emit_total') >= seriesSum(text, 'agentic_requests_total'),
    QUIET_MS,
  )

  const records = seriesSum(scrape, 'agentic_plugin_otelaudit_emit_total')
  const none = { limit: 0, kind: 'exactly' } as const
  const gauge = (name: string) => ({ name, measured: seriesSum(scrape, name), ...none })
  return [
    { name: 'file descriptors more than before', measured: Math.max(0, added), ...none },
    gauge('agentic_gateway_requests_in_flight'),
    gauge('agentic_gateway_sse_connections_active'),
    gauge('agentic_gateway_upstream_queued'),
    {
      name: 'audit records written or counted as lost, fewer than requests',
      measured: seriesSum(scrape, 'agentic_requests_total') - records,
      ...none,
    },
  ]
}
