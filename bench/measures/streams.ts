import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { BenchContext } from '../bench-context.ts'
import { type Contender, type ContenderName, startContender } from '../contenders.ts'
import { residentKilobytes } from '../cpu-time.ts'
import type { StreamOrder, StreamReport } from '../load/stream-load.ts'
import { cores } from '../pinned-process.ts'
import { spreadOf } from '../statistics.ts'

/** The cost of streams: time per event, memory per stream. */
export interface StreamResult {
  readonly flush: Readonly<Record<'floor' | 'gateway', FlushTimes>>
  readonly idleKilobytesPerStream: number
  readonly idleStreams: number
  readonly stalledMegabytes: number
  readonly stalledReaders: number
}

/** The time from the service's write to the client's read; medians of the rounds. */
export interface FlushTimes {
  readonly events: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** The numbers of streams. */
export interface StreamCounts {
  readonly flushed: number
  readonly idle: number
  readonly stalled: number
}

const EVENTS_PER_SECOND = 2000
/** Warm-up by number, not by time, as with requests. A quick run has less. */
const WARM_UP_EVENTS = 20_000
const WARM_UP_ROUNDS = 5
const SETTLE_MS = 1500

/** Measures streams through the gateway and through the floor. */
export async function measureStreams(context: BenchContext, counts: StreamCounts): Promise<StreamResult> {
  const flush = {
    floor: await flushTimes(context, 'floor', counts.flushed),
    gateway: await flushTimes(context, 'gateway', counts.flushed),
  }
  const idle = await withStreams(context, 'gateway', (source, gateway) =>
    idleMemory(source, gateway, counts.idle),
  )
  const stalled = await withStreams(context, 'gateway', (source, gateway) =>
    stalledMemory(source, gateway, { readers: counts.stalled, seconds: context.secondsPerRound }),
  )
  return {
    flush,
    idleKilobytesPerStream: idle / counts.idle,
    idleStreams: counts.idle,
    stalledMegabytes: stalled / 1024,
    stalledReaders: counts.stalled,
  }
}

function flushTimes(context: BenchContext, name: ContenderName, streams: number): Promise<FlushTimes> {
  context.tell(`${streams} streams through ${name}`)
  return withStreams(context, name, async (source, { port }) => {
    await source.open(port, streams, false)
    const measure = (seconds: number) =>
      source.ask({ type: 'measure', seconds, eventsPerSecond: EVENTS_PER_SECOND }, 'measured')
    await measure(Math.min(WARM_UP_EVENTS / EVENTS_PER_SECOND, WARM_UP_ROUNDS * context.secondsPerRound))
    const rounds: FlushTimes[] = []
    for (let round = 0; round < context.rounds; round += 1)
      rounds.push(await measure(context.secondsPerRound))
    const median = (key: 'p50Ms' | 'p99Ms') => spreadOf(rounds.map((times) => times[key])).median
    const events = rounds.reduce((sum, times) => sum + times.events, 0)
    return { events, p50Ms: median('p50Ms'), p99Ms: median('p99Ms') }
  })
}

async function idleMemory(source: StreamSource, { port, pid }: Contender, streams: number): Promise<number> {
  // One-time costs of the first streams are not part of the cost per stream.
  await source.open(port, 50, false)
  await wait(SETTLE_MS)
  const before = residentKilobytes(pid)
  await source.open(port, streams, false)
  await wait(SETTLE_MS)
  return residentKilobytes(pid) - before
}

async function stalledMemory(
  source: StreamSource,
  { port, pid }: Contender,
  { readers, seconds }: { readonly readers: number; readonly seconds: number },
): Promise<number> {
  await source.open(port, 50, false)
  await wait(SETTLE_MS)
  const before = residentKilobytes(pid)
  await source.open(port, readers, true)
  await source.ask({ type: 'flood', seconds }, 'flooded')
  return residentKilobytes(pid) - before
}

interface StreamSource {
  /** Opens streams up to a total. */
  open(port: number, streams: number, stalled: boolean): Promise<void>
  ask<Type extends StreamReport['type']>(
    order: StreamOrder,
    answer: Type,
  ): Promise<Extract<StreamReport, { type: Type }>>
}

async function withStreams<Result>(
  context: BenchContext,
  name: ContenderName,
  use: (source: StreamSource, contender: Contender) => Promise<Result>,
): Promise<Result> {
  const child = startSource()
  const { port: upstreamPort } = await nextReport(child, 'listening')
  const setting = {
    plugins: 'token' as const,
    issuers: [context.issuer],
    gateway: {
      llm: { max_sse_connections_per_tenant: 10_000 },
      limits: { max_upstream_connections_per_origin: 10_000, max_upstream_connections_per_tenant: 10_000 },
    },
  }
  const surroundings = { ...context, nginx: context.programs.nginx, upstreamPort }
  const contender = await startContender(name, surroundings, setting)
  try {
    return await use(streamSource(child, context.issuer.token()), contender)
  } finally {
    child.kill('SIGKILL')
    await contender.stop()
  }
}

function startSource(): ChildProcess {
  const script = join(import.meta.dirname, '../load/stream-load.ts')
  return spawn('taskset', ['-c', String(cores.load), process.execPath, script], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
}

function streamSource(child: ChildProcess, token: string): StreamSource {
  let open = 0
  const ask: StreamSource['ask'] = (order, answer) => {
    const answered = nextReport(child, answer)
    child.send(order)
    return answered
  }
  return {
    ask,
    async open(port, streams, stalled) {
      open += streams
      const opened = await ask({ type: 'open', port, streams: open, token, stalled }, 'opened')
      if (opened.streams < open) throw new Error(`only ${opened.streams} of ${open} streams were opened`)
    },
  }
}

async function nextReport<Type extends StreamReport['type']>(
  child: ChildProcess,
  type: Type,
): Promise<Extract<StreamReport, { type: Type }>> {
  const [report] = (await once(child, 'message')) as [StreamReport]
  if (report.type !== type) throw new Error(`${report.type} was reported in place of ${type}`)
  return report as Extract<StreamReport, { type: Type }>
}
