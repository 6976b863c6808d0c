import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { BenchContext } from '../bench-context.ts'
import { type Contender, type ContenderName, startContender } from '../contenders.ts'
import { cpuMicroseconds, residentKilobytes } from '../cpu-time.ts'
import type { StreamOrder, StreamReport } from '../load/stream-load.ts'
import { cores } from '../pinned-process.ts'
import { type Spread, spreadOf } from '../statistics.ts'

/** The cost of streams: CPU and time per event, memory per stream. */
export interface StreamResult {
  /** `beside` only with another checkout. */
  readonly busy: Readonly<Partial<Record<ContenderName, BusyStreams>>>
  readonly waiting: Readonly<Partial<Record<ContenderName, WaitingStreams>>>
  readonly idleStreams: number
  readonly stalledReaders: number
}

/** The costs of streams with ten events a second each. */
export interface EventCosts {
  readonly events: number
  /** CPU time of the measured process for an event. */
  readonly cpuMicrosecondsPerEvent: Spread
  /** From the write of the service to the read of the client. */
  readonly p50Ms: Spread
  readonly p99Ms: Spread
}

/** Streams through a contender. */
export interface BusyStreams extends EventCosts {
  /** Growth of the resident memory from before the first stream to after the last round, heap included. */
  readonly kilobytesPerStream: number
}

/** Streams without events, and streams whose readers have stalled. */
export interface WaitingStreams {
  readonly idleKilobytesPerStream: number
  readonly stalledMegabytes: number
}

/** The numbers of streams. */
export interface StreamCounts {
  readonly busy: number
  readonly idle: number
  readonly stalled: number
}

const EVENTS_PER_STREAM_AND_SECOND = 10
/** Warm-up by number, not by time, as with requests. A quick run has less. */
const WARM_UP_EVENTS = 20_000
const WARM_UP_ROUNDS = 5
export const SETTLE_MS = 1500
/** One-time costs of the first streams are not part of the cost per stream. */
export const FIRST_STREAMS = 50

/** Measures streams through nginx, the floor and the gateway, and the memory of streams that wait in the gateway. */
export async function measureStreams(context: BenchContext, counts: StreamCounts): Promise<StreamResult> {
  const gateways: ContenderName[] = context.beside === undefined ? ['gateway'] : ['beside', 'gateway']
  const busy = await busyStreams(context, ['nginx', 'floor', ...gateways], counts.busy)
  const waiting: Partial<Record<ContenderName, WaitingStreams>> = {}
  for (const name of gateways) waiting[name] = await waitingStreams(context, name, counts)
  return { busy, waiting, idleStreams: counts.idle, stalledReaders: counts.stalled }
}

/** One round of events. */
export interface EventRound {
  readonly events: number
  readonly cpuMicrosecondsPerEvent: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** All contenders run at the same time, and one after another has events in each round. */
async function busyStreams(
  context: BenchContext,
  names: readonly ContenderName[],
  streams: number,
): Promise<StreamResult['busy']> {
  const running: { name: ContenderName; world: StreamWorld; before: number; rounds: EventRound[] }[] = []
  const eventsPerSecond = streams * EVENTS_PER_STREAM_AND_SECOND
  const warmUpSeconds = Math.min(WARM_UP_EVENTS / eventsPerSecond, WARM_UP_ROUNDS * context.secondsPerRound)
  try {
    for (const name of names) {
      context.tell(`${streams} streams through ${name}`)
      const world = await startStreams(context, name)
      running.push({ name, world, before: await firstStreams(world), rounds: [] })
      await world.open(streams - FIRST_STREAMS, false)
      await eventRound(world, warmUpSeconds, eventsPerSecond)
    }
    for (let round = 0; round < context.rounds; round += 1)
      for (const { world, rounds } of running)
        rounds.push(await eventRound(world, context.secondsPerRound, eventsPerSecond))
    return Object.fromEntries(
      running.map(({ name, world, before, rounds }) => [
        name,
        {
          ...costsOf(rounds),
          kilobytesPerStream: (residentKilobytes(world.pid) - before) / (streams - FIRST_STREAMS),
        },
      ]),
    )
  } finally {
    await Promise.all(running.map(({ world }) => world.stop()))
  }
}

async function eventRound(world: StreamWorld, seconds: number, eventsPerSecond: number): Promise<EventRound> {
  const before = cpuMicroseconds(world.pid)
  const { events, p50Ms, p99Ms } = await world.ask({ type: 'measure', seconds, eventsPerSecond }, 'measured')
  return { events, p50Ms, p99Ms, cpuMicrosecondsPerEvent: (cpuMicroseconds(world.pid) - before) / events }
}

/** The costs of all rounds together. */
export function costsOf(rounds: readonly EventRound[]): EventCosts {
  const spread = (key: keyof EventRound) => spreadOf(rounds.map((round) => round[key]))
  return {
    events: rounds.reduce((sum, { events }) => sum + events, 0),
    cpuMicrosecondsPerEvent: spread('cpuMicrosecondsPerEvent'),
    p50Ms: spread('p50Ms'),
    p99Ms: spread('p99Ms'),
  }
}

async function waitingStreams(
  context: BenchContext,
  name: ContenderName,
  counts: StreamCounts,
): Promise<WaitingStreams> {
  context.tell(`${counts.idle} idle streams and ${counts.stalled} stalled readers through ${name}`)
  const idle = await withStreams(context, name, async (world) => {
    await world.open(counts.idle, false)
    await wait(SETTLE_MS)
  })
  const stalled = await withStreams(context, name, async (world) => {
    await world.open(counts.stalled, true)
    await world.ask({ type: 'flood', seconds: context.secondsPerRound }, 'flooded')
  })
  return { idleKilobytesPerStream: idle / counts.idle, stalledMegabytes: stalled / 1024 }
}

/** Starts a contender and returns the kilobytes by which its memory grew. */
async function withStreams(
  context: BenchContext,
  name: ContenderName,
  use: (world: StreamWorld) => Promise<void>,
): Promise<number> {
  const world = await startStreams(context, name)
  try {
    const before = await firstStreams(world)
    await use(world)
    return residentKilobytes(world.pid) - before
  } finally {
    await world.stop()
  }
}

/** Opens the first streams and returns the memory with them. */
async function firstStreams(world: StreamWorld): Promise<number> {
  await world.open(FIRST_STREAMS, false)
  await wait(SETTLE_MS)
  return residentKilobytes(world.pid)
}

/** A contender with the process of its service and its clients. */
interface StreamWorld {
  /** The process of the contender. */
  readonly pid: number
  /** Opens further streams. */
  open(streams: number, stalled: boolean): Promise<void>
  ask<Type extends StreamReport['type']>(
    order: StreamOrder,
    answer: Type,
  ): Promise<Extract<StreamReport, { type: Type }>>
  stop(): Promise<void>
}

async function startStreams(context: BenchContext, name: ContenderName): Promise<StreamWorld> {
  const child = startSource()
  const { port: upstreamPort } = await nextReport(child, 'listening')
  const contender = await startForStreams(context, name, upstreamPort).catch((error: unknown) => {
    child.kill('SIGKILL')
    throw error
  })
  return streamWorld(child, contender, context.issuer.token())
}

/** Starts a contender that lets one tenant have thousands of streams. */
export function startForStreams(
  context: BenchContext,
  name: ContenderName,
  upstreamPort: number,
): Promise<Contender> {
  const setting = {
    plugins: 'token' as const,
    issuers: [context.issuer],
    gateway: {
      llm: { max_sse_connections_per_tenant: 10_000 },
      limits: { max_upstream_connections_per_origin: 10_000, max_upstream_connections_per_tenant: 10_000 },
    },
  }
  return startContender(name, { ...context, nginx: context.programs.nginx, upstreamPort }, setting)
}

function streamWorld(child: ChildProcess, { pid, port, stop }: Contender, token: string): StreamWorld {
  let open = 0
  const ask: StreamWorld['ask'] = (order, answer) => {
    const answered = nextReport(child, answer)
    child.send(order)
    return answered
  }
  return {
    pid,
    ask,
    async open(streams, stalled) {
      open += streams
      const opened = await ask({ type: 'open', port, streams: open, token, stalled }, 'opened')
      if (opened.streams < open) throw new Error(`only ${opened.streams} of ${open} streams were opened`)
    },
    async stop() {
      child.kill('SIGKILL')
      await stop()
    },
  }
}

function startSource(): ChildProcess {
  const script = join(import.meta.dirname, '../load/stream-load.ts')
  return spawn('taskset', ['-c', String(cores.load), process.execPath, script], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
}

async function nextReport<Type extends StreamReport['type']>(
  child: ChildProcess,
  type: Type,
): Promise<Extract<StreamReport, { type: Type }>> {
  const [report] = (await once(child, 'message')) as [StreamReport]
  if (report.type !== type) throw new Error(`${report.type} was reported in place of ${type}`)
  return report as Extract<StreamReport, { type: Type }>
}
