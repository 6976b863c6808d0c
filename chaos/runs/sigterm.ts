import { setTimeout as wait } from 'node:timers/promises'
import { headers } from '@agentic-rest/profile'
import { type GatewayProcess, startGatewayProcess } from '@agentic-rest/testing/start-gateway-process'
import { createCaller, type Ending, requestText } from '../caller.ts'
import { type ChaosContext, type ChaosRun, type Figure, scaled } from '../chaos-run.ts'
import { createOpenLoad, isOverload, isServed, isTurnedAway, type LoadSample } from '../load/open-load.ts'
import { startSlowService } from '../load/slow-service.ts'
import { createSeeded } from '../seeded.ts'

/** Gateways that get SIGTERM under load. */
export const run: ChaosRun = {
  name: 'sigterm',
  title: 'SIGTERM under load: gateways finish accepted requests',
  // With `kill` they are killed instead, which fails requests in flight. With `drain` 0 they do not wait.
  short: { terms: 1, perSecond: 100, streams: 10, graceMs: 5000, turnedAwayPercent: 90, drain: 2, kill: 0 },
  full: { terms: 100, perSecond: 500, streams: 50, graceMs: 1000, turnedAwayPercent: 1, drain: 1, kill: 0 },
  run: terminate,
}

const WORK_MS = 40
/** One of this many requests is slow, so that some are always in flight at the signal. */
const EVERY_SLOW = 10
const PATIENCE_MS = 15_000
const WARM_UP_MS = 400
/** The duration of the load after the signal. */
const AFTER_MS = 600

/** The result of one gateway. */
interface Term {
  readonly requests: number
  readonly inFlight: number
  /** Requests before the signal that were refused as overloaded. */
  readonly turnedAway: number
  readonly failures: readonly string[]
  readonly streamFailures: readonly string[]
  readonly exitCode: number | null
  /** The time from the signal to the exit, minus the drain time. */
  readonly lateMs: number
}

async function terminate(context: ChaosContext): Promise<readonly Figure[]> {
  const service = await startSlowService(WORK_MS)
  const seeded = createSeeded(context.seed)
  const count = scaled(context, 'terms')
  const terms: Term[] = []
  const start = (index: number) =>
    startDrainingGateway(context, { name: `gateway-${index}`, target: service.url })
  let next = start(0)
  try {
    for (let index = 0; index < count && !context.signal.aborted; index += 1) {
      const gateway = await next
      const term = endUnderLoad(context, { gateway, beforeMs: seeded.between(300, 900) })
      // The next gateway starts meanwhile.
      if (index + 1 < count) next = start(index + 1)
      next.catch(() => undefined)
      terms.push(await term)
      tellOf(context, terms)
    }
    return figuresOf(context, terms)
  } finally {
    await next.then((gateway) => gateway.stop()).catch(() => undefined)
    await service.close()
  }
}

function startDrainingGateway(
  context: ChaosContext,
  { name, target }: { readonly name: string; readonly target: string },
): Promise<GatewayProcess> {
  return startGatewayProcess({
    folder: context.folder,
    name,
    config: {
      gateway: { drain_seconds: scaled(context, 'drain'), llm: { max_sse_connections_per_tenant: 1000 } },
      routes: [
        { id: 'r', method: 'GET', path: '/r', target, executionTimeoutSeconds: 10 },
        { id: 'slow', method: 'GET', path: '/slow', target, executionTimeoutSeconds: 10 },
        { id: 'events', method: 'GET', path: '/events', target, mode: 'sse' },
      ],
    },
  })
}

const tenant = { [headers.tenantId]: 'acme' }
const request = (index: number) =>
  requestText({ path: index % EVERY_SLOW === 0 ? '/slow' : '/r', headers: tenant })
const stream = requestText({ path: '/events', headers: { ...tenant, Accept: 'text/event-stream' } })

interface Ended {
  readonly gateway: GatewayProcess
  /** The time of load before the signal. */
  readonly beforeMs: number
}

async function endUnderLoad(context: ChaosContext, { gateway, beforeMs }: Ended): Promise<Term> {
  const options = { port: gateway.port, patienceMs: PATIENCE_MS }
  const streams = Array.from({ length: scaled(context, 'streams') }, () => createCaller(options).ask(stream))
  const load = createOpenLoad({ ...options, request })
  const perSecond = scaled(context, 'perSecond')
  try {
    // A new gateway is slow, and the first requests open the connections.
    await load.run({ perSecond, ms: WARM_UP_MS, signal: context.signal })
    const startedAt = performance.now()
    const running = load.run({ perSecond, ms: beforeMs + AFTER_MS, signal: context.signal })
    await wait(beforeMs)
    const signalledAt = performance.now()
    gateway.kill(scaled(context, 'kill') > 0 ? 'SIGKILL' : 'SIGTERM')
    const { code } = await gateway.ended
    const lateMs = performance.now() - signalledAt - scaled(context, 'drain') * 1000
    const samples = await running
    const judged = judge(samples, signalledAt - startedAt)
    const streamFailures = (await Promise.all(streams)).flatMap(streamFailure)
    return { ...judged, requests: samples.length, streamFailures, exitCode: code, lateMs }
  } finally {
    load.close()
  }
}

/** Requests before the signal are served. Later ones are served, refused or not connected. */
function judge(
  samples: readonly LoadSample[],
  signalledAt: number,
): Pick<Term, 'inFlight' | 'turnedAway' | 'failures'> {
  const isBefore = ({ sentAt, ending }: LoadSample) => sentAt + ending.sentMs < signalledAt
  const before = samples.filter(isBefore)
  const later = samples.filter((sample) => !isBefore(sample))
  const failures = [...before.filter(isUnanswered), ...later.filter(isBroken)]
  return {
    inFlight: before.filter(({ sentAt, ending }) => sentAt + ending.ms > signalledAt).length,
    turnedAway: before.filter(({ ending }) => isOverload(ending)).length,
    failures: failures.map(
      ({ sentAt, ending }) => `${Math.round(sentAt - signalledAt)} ms ${describe(ending)}`,
    ),
  }
}

const isUnanswered = ({ ending }: LoadSample) => !isServed(ending) && !isOverload(ending)

/** A new connection that the listener no longer accepts counts as refused. */
function isBroken({ ending }: LoadSample): boolean {
  if (isServed(ending) || isTurnedAway(ending) || ending.type === 'refused') return false
  return !(ending.type === 'abort' && !ending.reused && ending.bytes === 0)
}

function describe(ending: Ending): string {
  return ending.type === 'answer'
    ? `${ending.answer.status} ${ending.answer.body.slice(0, 200)}`
    : JSON.stringify(ending)
}

/** A stream longer than the drain time ends with a last frame that names the reason. */
function streamFailure(ending: Ending): string[] {
  const isOrdered = isServed(ending) && ending.type === 'answer' && LAST_FRAME.test(ending.answer.body)
  return isOrdered ? [] : [describe(ending)]
}

const LAST_FRAME = /\n\nevent: error\ndata: \{"type":"error","code":"SHUTTING_DOWN".*\}\n\n$/

function tellOf({ tell }: ChaosContext, terms: readonly Term[]): void {
  const last = terms.at(-1)
  for (const failure of [...(last?.failures ?? []), ...(last?.streamFailures ?? [])].slice(0, 5))
    tell(`sigterm: failure in gateway ${terms.length}: ${failure}`)
  if (terms.length % 5 === 0) tell(`sigterm: ${terms.length} gateways ended`)
}

function figuresOf(context: ChaosContext, terms: readonly Term[]): Figure[] {
  const sum = (of: (term: Term) => number) => terms.reduce((total, term) => total + of(term), 0)
  const none = { limit: 0, kind: 'exactly' } as const
  const count = scaled(context, 'terms')
  return [
    { name: 'gateways that ended', measured: terms.length, limit: count, kind: 'exactly' },
    {
      name: 'requests in flight at the signals',
      measured: sum(({ inFlight }) => inFlight),
      limit: count,
      kind: 'at least',
    },
    {
      name: 'turned away for overload, of all requests',
      measured: (sum(({ turnedAway }) => turnedAway) / sum(({ requests }) => requests)) * 100,
      unit: '%',
      limit: scaled(context, 'turnedAwayPercent'),
      kind: 'at most',
    },
    { name: 'requests that failed', measured: sum(({ failures }) => failures.length), ...none },
    {
      name: 'streams without a last frame',
      measured: sum(({ streamFailures }) => streamFailures.length),
      ...none,
    },
    {
      name: 'exit codes other than 0',
      measured: terms.filter(({ exitCode }) => exitCode !== 0).length,
      ...none,
    },
    {
      name: 'latest exit after the time to drain',
      measured: Math.max(...terms.map(({ lateMs }) => lateMs)),
      unit: 'ms',
      limit: scaled(context, 'graceMs'),
      kind: 'at most',
    },
  ]
}
