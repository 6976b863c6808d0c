import { setTimeout as wait } from 'node:timers/promises'
import { headers, outcomes, readOutcome } from '@agentic-rest/profile'
import { type Caller, createCaller, type Ending, type WireAnswer } from '../caller.ts'
import { type ChaosContext, type ChaosRun, type Figure, scaled } from '../chaos-run.ts'
import { faults } from '../faults.ts'
import { type FaultyWorld, startFaultyWorld } from '../faulty-world/faulty-world.ts'
import {
  ordinaryRequest,
  type PlannedRequest,
  plannedText,
  planRequest,
} from '../faulty-world/planned-request.ts'
import type { GatewayProcess } from '../gateway-process.ts'
import { addedFiles } from '../open-files.ts'
import { createSeeded } from '../seeded.ts'
import { seriesSum } from '../series.ts'
import { watchStalls } from '../stalls.ts'
import { until } from '../until.ts'
import { doAll } from '../workers.ts'

/** Faults of every kind between the gateway and its neighbours. */
export const run: ChaosRun = {
  name: 'faults',
  title: 'every kind of network fault around a gateway: one outcome or an explicit abort, in time',
  // So few at a time that a busy machine does not look like an overload. Where others work too a second is soon gone.
  // A stream may hang for 30 seconds beyond its deadline, an export for 5: only the full form waits for them.
  short: {
    requests: 600,
    faultPercent: 6,
    kinds: 24,
    deadlineSeconds: 1,
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
/** Beyond the latest moment at which an answer is in time. */
const PATIENCE_MS = 2000
/** Deadlines of streams are so much later (specification, Limits). */
const STREAM_SURPLUS_MS = 30_000
/** The gateway keeps idle connections to services for four seconds. */
const IDLE_MS = 6000
/** gRPC gives a collector that does not greet it 20 seconds. */
const QUIET_MS = 30_000

/** What came of all requests. */
interface Tally {
  answers: number
  aborts: number
  hung: number
  invalid: number
  failedWithoutFault: number
  latestMs: number
  /** Of each fault, the requests that were to meet it, and those of them that show that nobody was there. */
  readonly met: Map<string, { sent: number; unserved: number }>
  /** What came latest. */
  latest: string
  readonly outcomes: Map<string, number>
  readonly examples: string[]
}

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
    // Idle connections to services end by themselves; those are not among what has to be there again.
    if (longHangs) await wait(IDLE_MS)
    const filesBefore = world.gateway.openFiles()
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

function newTally(): Tally {
  return {
    answers: 0,
    aborts: 0,
    hung: 0,
    invalid: 0,
    failedWithoutFault: 0,
    latestMs: Number.NEGATIVE_INFINITY,
    met: new Map(),
    latest: '',
    outcomes: new Map(),
    examples: [],
  }
}

/** Makes the connections that stay, so that they are in the count of file descriptors before the first fault. */
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
  // Dealt in turn: drawn at random, a short run would now and then miss half of their kinds.
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
  // A stream that hangs for half a minute must not hold up a worker.
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
    // Spans are only counted; kept, they would fill the memory of this process.
    world.collector.spans.length = 0
    if (plan.kind !== 'events') return await send(plan, callers[worker] as Caller)
    const caller = createCaller({ port, patienceMs: patienceMs + STREAM_SURPLUS_MS })
    streams.push(send(plan, caller).finally(() => caller.close()))
  })
  await Promise.all(streams)
  stalls.close()
  context.tell(`faults: for ${Math.round(stalls.totalMs)} ms the machine had no time for this process`)
  for (const caller of callers) caller.close()
}

interface Judging {
  readonly tally: Tally
  readonly deadlineMs: number
  /** What the machine took from the services and from whoever waits: it is not the gateway that was late. */
  readonly lostMs: number
}

function judge(plan: PlannedRequest, ending: Ending, { tally, deadlineMs, lostMs }: Judging): void {
  const surplus = plan.kind === 'events' ? STREAM_SURPLUS_MS : 0
  const label = ending.type === 'answer' ? labelOf(plan, ending.answer) : ending.type
  const lateMs = ending.ms - deadlineMs - surplus - lostMs
  if (lateMs > tally.latestMs) {
    tally.latestMs = lateMs
    tally.latest = `${plan.id} ${plan.fault?.name ?? 'no fault'}: ${label}`
  }
  tally.outcomes.set(label, (tally.outcomes.get(label) ?? 0) + 1)
  meet(plan, label, tally)
  const tell = (what: string) => {
    if (tally.examples.length < 20)
      tally.examples.push(`${what}: ${JSON.stringify({ ...plan, ending })}`.slice(0, 600))
  }
  switch (ending.type) {
    case 'answer':
      tally.answers += 1
      if (label.startsWith('invalid')) {
        tally.invalid += 1
        tell(label)
      }
      break
    case 'abort':
      tally.aborts += 1
      break
    case 'refused':
    case 'hung':
      tally.hung += 1
      tell(ending.type)
  }
  const isLost = lostMs > deadlineMs / 4 && label === 'error EXECUTION_TIMEOUT'
  if (!isLost && !isExcused(plan, label)) {
    tally.failedWithoutFault += 1
    tell('failed without a fault')
  }
}

function meet({ fault }: PlannedRequest, label: string, { met }: Tally): void {
  if (fault === undefined) return
  const { sent, unserved } = met.get(fault.name) ?? NEVER_MET
  met.set(fault.name, { sent: sent + 1, unserved: unserved + (UNSERVED.has(label) ? 1 : 0) })
}

const NEVER_MET = { sent: 0, unserved: 0 }
/** How a request to an address ends at which nobody takes connections up. */
const UNSERVED = new Set(['failed_dependency UPSTREAM_UNAVAILABLE', 'error EXECUTION_TIMEOUT'])

const expectedOf = { items: 'success', questions: 'clarification_required', events: 'stream' } as const

/** Keys may be slow to come, too. */
const KEY_TROUBLE = new Set([
  'error INVALID_TOKEN',
  'error EXECUTION_TIMEOUT',
  'failed_dependency JWKS_UNAVAILABLE',
])

/** Whether a request may end like this. An idle connection can be gone, so a POST without a key may fail by its neighbours. */
function isExcused({ kind, fault, token, method, keyed }: PlannedRequest, label: string): boolean {
  if (fault !== undefined || label === expectedOf[kind]) return true
  if (token === 'unknownKey') return KEY_TROUBLE.has(label)
  if (token === 'person' && label === 'failed_dependency TENANT_LOOKUP_UNAVAILABLE') return true
  return method === 'POST' && !keyed && label === 'failed_dependency UPSTREAM_UNAVAILABLE'
}

/** The outcome and its code, or what is wrong with the answer. */
function labelOf({ id, kind }: PlannedRequest, answer: WireAnswer): string {
  if (answer.headers[headers.requestId.toLowerCase()] !== id) return 'invalid: the answer of another request'
  if (answer.headers['content-type']?.startsWith('text/event-stream')) return streamLabel(kind, answer)
  const reading = readOutcome(answer)
  if (!reading.ok) return `invalid: ${answer.status} ${reading.violations[0]?.rule ?? 'no outcome'}`
  const { outcome, trace } = reading
  if (trace?.requestId !== id) return 'invalid: the trace of another request'
  if (outcome.type === 'success' && (outcome.body as { id?: string }).id !== id)
    return 'invalid: the body of another request'
  return 'code' in outcome && outcome.code !== undefined ? `${outcome.type} ${outcome.code}` : outcome.type
}

/** A stream is whole, or its last frame says why it is not. */
function streamLabel(kind: PlannedRequest['kind'], { status, body }: WireAnswer): string {
  if (kind !== 'events' || status !== outcomes.success.status)
    return 'invalid: a stream that nobody asked for'
  if (body.endsWith('data: [DONE]\n\n')) return 'stream'
  const [, code] = /\nevent: error\ndata: \{"type":"\w+","code":"(\w+)".*\}\n\n$/.exec(`\n${body}`) ?? []
  return code === undefined ? 'invalid: a stream without an end' : `stream ${code}`
}

interface FaultsDone {
  readonly requests: number
  readonly kinds: number
}

/**
 * What was really done to requests on their way to services. The gateway may try twice, so that an opening address sees
 * more connections than requests; at one where nobody listens, what became of the requests has to tell.
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

/** What is left in the gateway when everybody is gone. */
async function afterwards(
  { tell }: ChaosContext,
  { gateway, filesBefore }: { readonly gateway: GatewayProcess; readonly filesBefore: readonly string[] },
): Promise<Figure[]> {
  const filesAfter = await until(
    () => gateway.openFiles(),
    (files) => files.length <= filesBefore.length,
    QUIET_MS,
  )
  const added = filesAfter.length - filesBefore.length
  if (added > 0) tell(`faults: what is left: ${addedFiles(filesBefore, filesAfter).join('; ')}`)
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
